// What a configuration stands on: the catalog, in DATA_DIR or on the server of DATABASE_URL, and the servers of the tenants.

import { join, resolve } from 'node:path'
import type { Config } from './config.ts'
import { Unavailable } from './database.ts'
import type { Resources } from './resources/resource.ts'
import { schemaVersion } from './resources/schema.ts'
import { type DescriptorUse, descriptorLimit, shareDescriptors } from './storage/descriptors.ts'
import { openPool, type Pool } from './storage/postgres/connection.ts'
import { postgresDatabases, postgresStorage } from './storage/postgres/storage.ts'
import { openServers, type Server } from './storage/servers.ts'
import { lockFile } from './storage/sqlite/connection.ts'
import { makeDirectory, sqliteDatabases } from './storage/sqlite/files.ts'
import { type PoolSettings, sqliteStorage, threadsOf } from './storage/sqlite/pool.ts'
import type { Databases, Storage } from './storage/storage.ts'
import { builtIn, type Catalog } from './tenancy/catalog.ts'
import { catalogSchema, openPostgresCatalog, rateLimitTable } from './tenancy/catalog-postgres.ts'
import { openSqliteCatalog } from './tenancy/catalog-sqlite.ts'
import { readPepper } from './tenancy/pepper.ts'
import type { SharedCount } from './tenancy/rate-counters.ts'
import { serverUrl, usedServers } from './tenancy/servers.ts'

/** A start that cannot be; the message is a sentence for the operator. */
export class StartError extends Error {}

/** How many workers the files of this machine have; who is told when one dies of a bug, and of every migration; how long an
 *  operation may wait to be begun. */
export type Workers = Pick<PoolSettings, 'workers' | 'onCrash' | 'onMigration' | 'figures' | 'queueTimeoutMs'>

export type Engine = {
  catalog: Catalog
  databases: Databases
  /** Serves the tenants, wherever they are. Throws StartError when another server is at work on this machine's files. */
  openStorage(): Storage
  /** What a server takes of the descriptors that a process may have. */
  descriptorUse(): Promise<DescriptorUse>
  /** Where several nodes count requests together; undefined where there can be only one. */
  sharedCount?: SharedCount
  /** Closes everything, after the work in hand. */
  close(): Promise<void>
}

/** Of a process, for the catalog and for counting requests, apart from those for tenants: however busy these are, a request
 *  is judged. */
const catalogConnections = 4

/** Opens what commands and servers stand on. Throws Unavailable. */
export async function openEngine(config: Config, resources: Resources, workers: Workers = {}): Promise<Engine> {
  const directory = resolve(config.DATA_DIR)
  const pool = config.DATABASE_URL === '' ? undefined : openPool(config.DATABASE_URL, catalogConnections)
  try {
    const stored = await (pool ? openPostgresCatalog(pool) : openSqliteCatalog(directory))
    const catalog: Catalog = { ...stored, version: watched(stored.version, () => servers.forgetAddresses()) }
    const databaseConnections = pool ? catalogConnections + config.DATABASE_CONNECTIONS : 0
    const use = { openFiles: config.OPEN_FILES, threads: threadsOf(workers.workers), databaseConnections }
    const openFiles = () => shareDescriptors(descriptorLimit(), use).openFiles
    const files = filesServer(directory, resources, workers, openFiles)

    async function addressOf(name: string): Promise<string> {
      if (name === builtIn.files) return directory
      const url = name === builtIn.catalog ? config.DATABASE_URL : await addedUrl(name)
      if (!url) throw new Unavailable(`there is no server ${name}`)
      return url
    }

    async function addedUrl(name: string): Promise<string | undefined> {
      return serverUrl(catalog, readPepper(directory, config.API_KEY_PEPPER), name)
    }

    function open(name: string, address: string): Server {
      if (name === builtIn.files) return files
      return postgresServer(openPool(address, config.DATABASE_CONNECTIONS), resources, workers)
    }

    const servers = openServers(addressOf, open, schemaVersion(resources))
    return {
      catalog,
      databases: servers.databases,
      openStorage() {
        if (!pool && !files.start()) throw new StartError(`Another server is at work on ${directory}.`)
        return servers.storage
      },
      async descriptorUse() {
        const { added, hasFiles } = await usedServers(catalog)
        const ofAdded = added * config.DATABASE_CONNECTIONS
        const databaseConnections = use.databaseConnections + ofAdded
        return { ...use, openFiles: hasFiles ? use.openFiles : 0, databaseConnections }
      },
      sharedCount: pool && { pool, schema: catalogSchema, table: rateLimitTable },
      async close() {
        await servers.close()
        await files.close()
        await catalog.close()
        await pool?.close()
      },
    }
  } catch (error) {
    await pool?.close()
    throw error
  }
}

/** A number that is looked up, and what is done when it is another one than before. */
function watched(look: () => Promise<number>, changed: () => void): () => Promise<number> {
  let last: number | undefined
  return async () => {
    const present = await look()
    if (present !== last) changed()
    last = present
    return present
  }
}

function postgresServer(pool: Pool, resources: Resources, { onMigration, queueTimeoutMs }: Workers): Server {
  const storage = postgresStorage(pool, resources, onMigration, queueTimeoutMs)
  return { databases: postgresDatabases(pool, resources), storage: () => storage, close: () => pool.close() }
}

/** The files of this machine. Their workers start when the first operation comes, so that a command needs none, and under
 *  an operating-system lock: each of two servers would believe it is the only writer. */
function filesServer(
  directory: string,
  resources: Resources,
  workers: Partial<PoolSettings>,
  openFiles: () => number,
): Server & { start(): boolean } {
  let started: (Storage & { close(): Promise<void> }) | undefined
  let lock: { close(): void } | undefined

  function start(): boolean {
    if (started) return true
    makeDirectory(directory)
    lock = lockFile(join(directory, 'server.lock'))
    if (lock) started = sqliteStorage({ directory, resources, ...workers, openFiles: openFiles() })
    return started !== undefined
  }

  return {
    start,
    databases: sqliteDatabases(directory, resources),
    storage() {
      if (!start()) throw new Unavailable(`another server is at work on ${directory}`)
      return started!
    },
    async close() {
      await started?.close()
      lock?.close()
      started = lock = undefined
    },
  }
}
