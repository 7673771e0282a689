// Which engine a configuration means: SQLite files in DATA_DIR, or schemas of a PostgreSQL server.

import { join, resolve } from 'node:path'
import type { Config } from './config.ts'
import type { Resources } from './resources/resource.ts'
import { openPool } from './storage/postgres/connection.ts'
import { postgresDatabases, postgresStorage } from './storage/postgres/storage.ts'
import { lockFile } from './storage/sqlite/connection.ts'
import { makeDirectory, sqliteDatabases } from './storage/sqlite/files.ts'
import { sqliteStorage } from './storage/sqlite/pool.ts'
import type { Databases, Storage } from './storage/storage.ts'
import type { Catalog } from './tenancy/catalog.ts'
import { catalogSchema, openPostgresCatalog, rateLimitTable } from './tenancy/catalog-postgres.ts'
import { openSqliteCatalog } from './tenancy/catalog-sqlite.ts'
import type { SharedCount } from './tenancy/rate-limit.ts'

/** A start that cannot be; the message is a sentence for the operator. */
export class StartError extends Error {}

export type Engine = {
  catalog: Catalog
  databases: Databases
  /** For a server. `workers` and `onCrash` concern the embedded engine. Throws StartError. */
  openStorage(options: { workers?: number; onCrash: (error: Error) => void }): Storage
  /** Where several nodes count requests together; undefined where there can be only one. */
  sharedCount?: SharedCount
  /** Closes all but the storage. */
  close(): Promise<void>
}

/** Opens what commands and servers stand on. Throws Unavailable. */
export async function openEngine(config: Config, resources: Resources): Promise<Engine> {
  return config.DATABASE_URL === '' ? sqliteEngine(config, resources) : postgresEngine(config, resources)
}

async function sqliteEngine(config: Config, resources: Resources): Promise<Engine> {
  const directory = resolve(config.DATA_DIR)
  const catalog = await openSqliteCatalog(directory)
  return {
    catalog,
    databases: sqliteDatabases(directory, resources),
    openStorage(options) {
      const lock = lockDirectory(directory)
      const storage = sqliteStorage({ directory, resources, ...options })
      return { ...storage, close: () => storage.close().finally(() => lock.close()) }
    },
    close: () => catalog.close(),
  }
}

async function postgresEngine(config: Config, resources: Resources): Promise<Engine> {
  const pool = openPool(config.DATABASE_URL)
  try {
    const catalog = await openPostgresCatalog(pool)
    return {
      catalog,
      databases: postgresDatabases(pool, resources),
      openStorage: () => postgresStorage(pool, resources),
      sharedCount: { pool, schema: catalogSchema, table: rateLimitTable },
      close: () => pool.close(),
    }
  } catch (error) {
    await pool.close()
    throw error
  }
}

/** An operating-system lock that lasts as long as the process: each of two servers would believe it is the only writer. */
function lockDirectory(directory: string): { close(): void } {
  makeDirectory(directory)
  const lock = lockFile(join(directory, 'server.lock'))
  if (!lock) throw new StartError(`Another server is at work on ${directory}.`)
  return lock
}
