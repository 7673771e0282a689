// Opens the catalog in a SQLite file, next to the tenants' files.

import { join } from 'node:path'
import { Damaged, Unavailable } from '../engine/database/database.ts'
import { type Connection, connect } from '../engine/database/sqlite/connection.ts'
import { checkpoint, fileStamp } from '../engine/database/sqlite/files.ts'
import { createDirectory, createPrivateFile } from '../lib/files/files.ts'
import { UserError } from '../lib/user-error.ts'
import { builtInServers, type Catalog, coalescePerTick, transitionalStates } from './catalog.ts'
import { catalogMigrations, latestVersion, pendingSteps } from './schema.ts'

/** `migrate`: creates the catalog if there is none, and migrates it. `existing`: the catalog exists and is current. */
export type OpenKind = 'migrate' | 'existing'

/** Opens a data directory's catalog. Throws Unavailable, and UserError if the catalog was copied to PostgreSQL. If the
 *  catalog is copied later, every use of it throws Unavailable. */
export async function openSqliteCatalog(directory: string, kind: OpenKind): Promise<Catalog> {
  if (kind === 'migrate') {
    createDirectory(directory)
    createPrivateFile(catalogFile(directory))
  }
  const connection = connectCatalog(directory)
  try {
    requireNotCopied(connection, directory)
    if (kind === 'migrate') await migrateCatalogFile(connection)
  } catch (error) {
    connection.close()
    throw error
  }
  let lastTransaction: Promise<unknown> = Promise.resolve()

  return {
    defaultServer: builtInServers.files,
    database: {
      get: (sql, values) => requireOpen(connection).get(sql, values),
      all: (sql, values) => requireOpen(connection).all(sql, values),
    },
    transaction: (callback, effect) => {
      const result = lastTransaction.then(() => {
        requireOpen(connection) // checked before waiting for the lock, because a running copy holds it
        return connection.transaction(async () => {
          requireOpen(connection)
          if (!effect?.keepsCachedKeys) connection.run('update catalog_version set changes = changes + 1')
          return callback(connection)
        })
      })
      lastTransaction = result.catch(() => {})
      return result
    },
    async snapshot(callback) {
      const reader = connect(catalogFile(directory), undefined, 'read')
      try {
        return await reader.transaction(() => callback(requireOpen(reader)), 'read')
      } finally {
        reader.close()
      }
    },
    version: coalescePerTick(() => {
      const { changes, target } = connection.get<{ changes: number; target: string | null }>(versionSql)!
      if (target !== null) throw copied(target)
      return changes
    }),
    async compact() {
      await lastTransaction
      connection.exec('vacuum')
      checkpoint(connection, 'truncate') // the write-ahead log still contains the old pages
    },
    close: async () => connection.close(),
  }
}

/** Connects to a data directory's catalog, even if it was copied. Errors name the file. Throws Unavailable. */
export function connectCatalog(directory: string): Connection {
  const path = catalogFile(directory)
  const connection = namingFile(path, () => connect(path))
  const { get, all, run } = connection
  return Object.assign(connection, {
    get: (...statement) => namingFile(path, () => get(...statement)),
    all: (...statement) => namingFile(path, () => all(...statement)),
    run: (...statement) => namingFile(path, () => run(...statement)),
  } satisfies Partial<Connection>)
}

/** Adds the file and, if it is damaged, the remedy to the error: a message without the file could be about any tenant. */
function namingFile<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Damaged)
      throw new Damaged(`the catalog ${path} is damaged (${error.message}). ${catalogRestoreAdvice}`)
    if (error instanceof Unavailable) error.message = `the catalog ${path}: ${error.message}`
    throw error
  }
}

/** What to do about a catalog that is damaged. */
export const catalogRestoreAdvice =
  'Stop the server, move the file away together with its -wal and -shm, and restore the catalog from a backup: tenantdesk restore <backup> --catalog'

type CopyRow = { id: string; target: string; copied_at: string }

/** Returns the row that records that the catalog was copied to PostgreSQL; undefined if it was not copied. */
export function findCopy(connection: Connection): CopyRow | undefined {
  return connection.get<CopyRow>('select id, target, copied_at from catalog_copies')
}

/** Throws UserError if the catalog was copied. Its schema may be that of an older version. */
function requireNotCopied(connection: Connection, directory: string): void {
  const copy = hasTable(connection, 'catalog_copies') ? findCopy(connection) : undefined
  if (copy)
    throw new UserError(
      `The catalog in ${directory} was copied to ${copy.target} on ${copy.copied_at}: set DATABASE_URL to that database, with the same DATA_DIR.`,
    )
}

/** The version, and where the catalog was copied to: one query, because it runs in every tick with requests. */
const versionSql = 'select changes, (select target from catalog_copies) as target from catalog_version'

/** Throws Unavailable if the catalog was copied. */
function requireOpen(connection: Connection): Connection {
  const copy = findCopy(connection)
  if (copy) throw copied(copy.target)
  return connection
}

function copied(target: string): Unavailable {
  return new Unavailable(`the catalog was copied to ${target}: restart this server with DATABASE_URL`)
}

/** Returns the number of tenants in a data directory's catalog; 0 if there is no catalog or it was copied. Does not
 *  migrate the catalog. Throws Unavailable. */
export function countTenantsIn(directory: string): number {
  const path = catalogFile(directory)
  if (!fileStamp(path)) return 0
  const connection = connect(path, undefined, 'read')
  try {
    if (!hasTable(connection, 'tenants')) return 0
    if (hasTable(connection, 'catalog_copies') && findCopy(connection)) return 0
    const sql = `select count(*) as tenants from tenants where state not in ${transitionalStates}`
    return connection.get<{ tenants: number }>(sql)!.tenants
  } finally {
    connection.close()
  }
}

export function catalogFile(directory: string): string {
  return join(directory, 'catalog.sqlite')
}

function hasTable(connection: Connection, name: string): boolean {
  return connection.get('select 1 as found from sqlite_schema where name = ?', [name]) !== undefined
}

/** Creates the tables of a catalog, or migrates an existing catalog to the current schema. */
async function migrateCatalogFile(connection: Connection): Promise<void> {
  const version = () => connection.get<{ user_version: number }>('pragma user_version')!.user_version
  const migrations = catalogMigrations('sqlite')
  if (pendingSteps(migrations, version()).length === 0) return
  await connection.transaction(async () => {
    const pending = pendingSteps(migrations, version()) // another process may have migrated it
    for (const statement of pending.flatMap(({ up }) => up)) connection.exec(statement)
    connection.exec(`pragma user_version = ${latestVersion(migrations)}`)
  })
}
