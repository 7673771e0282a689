// Opens the databases that a configuration names: the catalog (in DATA_DIR or at DATABASE_URL) and the tenants'
// database servers.

import { chmodSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { builtInServers, type Catalog, transitionalStates, watchVersion } from '../../catalog/catalog.ts'
import { type Pepper, readPepper } from '../../catalog/pepper/pepper.ts'
import { catalogSchema, openPostgresCatalog, rateLimitTable, type SharedStore } from '../../catalog/postgres.ts'
import { countTenantsIn, openSqliteCatalog } from '../../catalog/sqlite.ts'
import type { Config } from '../../config.ts'
import type { Resources } from '../../domain/declarations/resource.ts'
import { productOf } from '../../domain/product.ts'
import { Unavailable } from '../../engine/database/database.ts'
import { openPool, type Pool } from '../../engine/database/postgres/pool.ts'
import { lockFile } from '../../engine/database/sqlite/connection.ts'
import { type DescriptorUse, descriptorLimit, maxOpenFiles, shareDescriptors } from '../../engine/descriptors.ts'
import { closedMessage, type Engine, EngineRouter, type Server } from '../../engine/engine.ts'
import { PostgresEngine } from '../../engine/postgres/postgres-engine.ts'
import { TenantSchemas } from '../../engine/postgres/tenant-schemas.ts'
import type { Product } from '../../engine/product.ts'
import { countThreads, SqliteEngine, type SqliteSettings } from '../../engine/sqlite/sqlite-engine.ts'
import { TenantFiles } from '../../engine/sqlite/tenant-files.ts'
import type { TenantDatabases } from '../../engine/tenant-databases.ts'
import { createDirectory, createPrivateFile } from '../../lib/files/files.ts'
import { countServerUse, serverUrl } from './database-servers.ts'
import { type Purpose, requireInstallation, settleTenantSchema } from './installation.ts'

/** The server cannot start. The message explains the reason to the operator. */
export class StartError extends Error {}

/** `makeProduct`: replaces `productOf` in tests. */
type OpenOptions = Pick<
  SqliteSettings,
  'workers' | 'openFiles' | 'onCrash' | 'onMigrated' | 'metrics' | 'queueTimeoutMs' | 'migrationTimeoutMs'
> & { makeProduct?: typeof productOf | undefined }

export type Databases = {
  catalog: Catalog
  databases: TenantDatabases
  /** The pepper in the settings or in the data directory; undefined if there is none. Throws SettingError. */
  pepper(): Pepper | undefined
  /** Keeps other processes from serving this machine's tenant files until everything is closed. Returns false if
   *  another process already serves these files. If the catalog is on PostgreSQL, does nothing and returns true,
   *  because any number of nodes may run. */
  claimFiles(): boolean
  /** Starts serving the tenants on all servers. Throws StartError if the catalog is in this data directory and another
   *  server is using it. */
  startEngine(): Engine
  /** Returns the numbers of files, threads and connections that need file descriptors. */
  descriptorUse(): Promise<DescriptorUse>
  /** The table for shared rate-limit counts; undefined if there can be only one node. */
  sharedRateLimitStore: SharedStore | undefined
  /** Closes everything once the running operations have finished. */
  close(): Promise<void>
}

/** Connections per process that are reserved for the catalog and the rate limit, so that requests can be authenticated
 *  even if the tenant pools are busy. */
const catalogConnections = 4

/** Opens the catalog and the tenants' databases. Throws UserError if the installation cannot be used for this purpose,
 *  StartError, and Unavailable. */
export async function openDatabases(
  config: Config,
  resources: Resources,
  options: OpenOptions = {},
  purpose: Purpose = 'serve',
): Promise<Databases> {
  const { makeProduct = productOf, ...workers } = options
  const product = makeProduct(resources)
  const directory = resolve(config.DATA_DIR)
  const pool = config.DATABASE_URL === '' ? undefined : openPool(config.DATABASE_URL, catalogConnections)
  const databaseConnections = pool ? catalogConnections + config.DATABASE_POOL_MAX : 0
  const use = {
    openFiles: workers.openFiles ?? maxOpenFiles,
    threads: countThreads(workers.workers),
    databaseConnections,
  }
  const openFiles = () => shareDescriptors(descriptorLimit(), use).openFiles
  const files = filesServer(directory, product, workers, openFiles)
  try {
    if (pool && purpose !== 'command') await requireNoOtherInstallation(pool, config)
    const kind = await requireInstallation(config, purpose, pool)
    // A migration requires that no server of the older version is running.
    if (!pool && kind === 'migrate' && purpose === 'serve' && !files.claim()) throw otherServer(directory)
    const stored = await (pool ? openPostgresCatalog(pool, kind) : openSqliteCatalog(directory, kind))
    const catalog: Catalog = { ...stored, version: watchVersion(stored.version, () => servers.forgetAddresses()) }
    await settleTenantSchema(catalog, product.schema.version, kind === 'migrate' ? 'serve' : purpose)

    let pepper: Pepper | undefined
    const findPepper = () => {
      pepper ??= readPepper(directory, config.API_KEY_PEPPER) // a new installation has none until the server creates it
      return pepper
    }

    function open(name: string, address: string): Server {
      if (name === builtInServers.files) return files
      return postgresServer(openPool(address, config.DATABASE_POOL_MAX), product, workers)
    }

    const servers = new EngineRouter(addressResolver(config, catalog, findPepper), open, product.schema.version)
    return {
      catalog,
      databases: servers.databases,
      pepper: findPepper,
      claimFiles: () => pool !== undefined || files.claim(),
      startEngine() {
        if (!pool && !files.start()) throw otherServer(directory)
        return servers
      },
      async descriptorUse() {
        const { added, hasFiles } = await countServerUse(catalog)
        const ofAdded = added * config.DATABASE_POOL_MAX
        const databaseConnections = use.databaseConnections + ofAdded
        return { ...use, openFiles: hasFiles ? use.openFiles : 0, databaseConnections }
      },
      sharedRateLimitStore: pool && { pool, schema: catalogSchema, table: rateLimitTable },
      async close() {
        await servers.close()
        await files.close()
        await catalog.close()
        await pool?.close()
      },
    }
  } catch (error) {
    await files.close()
    await pool?.close()
    throw error
  }
}

function otherServer(directory: string): StartError {
  return new StartError(`Another server is using ${directory}.`)
}

/** Returns a function that resolves a database server's name to its directory or URL. Throws Unavailable. */
function addressResolver(
  config: Config,
  catalog: Catalog,
  findPepper: () => Pepper | undefined,
): (name: string) => Promise<string> {
  async function addedUrl(name: string): Promise<string | undefined> {
    const pepper = findPepper()
    if (!pepper) throw new Unavailable('the pepper that encrypts its URL is missing')
    return serverUrl(catalog, pepper, name)
  }

  return async (name) => {
    if (name === builtInServers.files) return resolve(config.DATA_DIR)
    const url = name === builtInServers.catalog ? config.DATABASE_URL : await addedUrl(name)
    if (!url) throw new Unavailable(`there is no server ${name}`)
    return url
  }
}

/** Throws StartError if the PostgreSQL database has no tenants but DATA_DIR does: probably a mistake in the
 *  settings. */
async function requireNoOtherInstallation(pool: Pool, config: Config): Promise<void> {
  const directory = resolve(config.DATA_DIR)
  const tenants = countTenantsIn(directory)
  if (tenants === 0) return
  const hasCatalog = await pool.get(
    `select 1 as found from pg_tables where schemaname = '${catalogSchema}' and tablename = 'tenants'`,
  )
  const used = `select 1 as found from ${catalogSchema}.tenants where state not in ${transitionalStates} limit 1`
  if (hasCatalog && (await pool.get(used))) return
  const { host, pathname } = new URL(config.DATABASE_URL)
  throw new StartError(
    `DATABASE_URL (${host}${pathname}) has no tenants, while the catalog in DATA_DIR (${directory}) has ${tenants}: unset DATABASE_URL to serve those, copy them with \`tenantdesk catalog copy\`, or set another DATA_DIR to start anew on PostgreSQL.`,
  )
}

function postgresServer(pool: Pool, product: Product, options: OpenOptions): Server {
  const engine = new PostgresEngine(pool, product, options)
  return { databases: new TenantSchemas(pool, product), engine: () => engine, close: () => pool.close() }
}

/** Serves this machine's tenant files. Worker threads start when a process begins to serve requests, because commands
 *  do not need them. The process must hold a file lock to start its threads, because two servers would each assume that
 *  they are the only writer. */
function filesServer(
  directory: string,
  product: Product,
  workers: Partial<SqliteSettings>,
  openFiles: () => number,
): Server & { claim(): boolean; start(): boolean } {
  let started: (Engine & { close(): Promise<void> }) | undefined
  let lock: { close(): void } | undefined
  let isClosed = false

  function claim(): boolean {
    if (isClosed) throw new Unavailable(closedMessage) // a background job may still be running
    if (lock) return true
    createDirectory(directory)
    const path = join(directory, 'server.lock')
    createPrivateFile(path) // another user who can read the file could hold the lock
    chmodSync(path, 0o600) // older versions created it with wider permissions
    lock = lockFile(path)
    return lock !== undefined
  }

  function start(): boolean {
    if (claim()) started ??= new SqliteEngine({ directory, product, ...workers, openFiles: openFiles() })
    return started !== undefined
  }

  return {
    claim,
    start,
    databases: new TenantFiles(directory, product),
    engine() {
      if (!start()) throw new Unavailable(`another server is using ${directory}`)
      return started!
    },
    async close() {
      isClosed = true
      await started?.close()
      lock?.close()
      started = lock = undefined
    },
  }
}
