// The catalog in a SQLite file, next to the tenants' files.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../database/database.ts'
import { makeDirectory, makePrivate } from '../database/durable-files.ts'
import { type Connection, connect } from '../database/sqlite/connection.ts'
import { checkpoint } from '../database/sqlite/wal.ts'
import { UserError } from '../lib/user-error.ts'
import { builtInServers, type Catalog, coalescePerTick, type keepsKeys, transitionalStates } from './catalog.ts'
import { catalogMigrations, latestVersion, pendingSteps } from './schema.ts'

/** Opens the catalog of a data directory; with `create`, creates it if there is none. Throws UserError, Unavailable. */
export async function openSqliteCatalog(directory: string, kind: 'create' | 'existing'): Promise<Catalog> {
  const path = catalogFile(directory)
  if (kind === 'create') {
    makeDirectory(directory)
    makePrivate(path)
  } else if (!fileExists(path)) {
    throw new UserError(
      `There is no installation in ${directory}: set DATA_DIR to the directory of the server, or create a new one with \`tenantdesk serve\`.`,
    )
  }
  const connection = connect(path)
  await migrate(connection)
  let lastTransaction: Promise<unknown> = Promise.resolve()

  function runTransaction<T>(
    work: (database: Database) => Promise<T>,
    effect: typeof keepsKeys | undefined,
  ): Promise<T> {
    return connection.transaction(async () => {
      if (!effect?.keepsKeys) connection.run('update catalog_version set changes = changes + 1')
      return work(connection)
    })
  }

  return {
    defaultServer: builtInServers.files,
    database: connection,
    transaction: (work, effect) => {
      const result = lastTransaction.then(() => runTransaction(work, effect))
      lastTransaction = result.catch(() => {})
      return result
    },
    version: coalescePerTick(() => connection.get('select changes from catalog_version')!.changes as number),
    async compact() {
      await lastTransaction
      connection.exec('vacuum')
      checkpoint(connection, 'truncate') // the log still has the former pages
    },
    close: async () => connection.close(),
  }
}

/** The number of tenants in the catalog of a data directory, 0 if there is no catalog. Does not migrate it. Throws Unavailable. */
export function countTenantsIn(directory: string): number {
  const path = catalogFile(directory)
  if (!fileExists(path)) return 0
  const connection = connect(path, undefined, 'read')
  try {
    const hasTables = connection.get(`select 1 as found from sqlite_schema where name = 'tenants'`)
    if (!hasTables) return 0
    return connection.get(`select count(*) as tenants from tenants where state not in ${transitionalStates}`)!
      .tenants as number
  } finally {
    connection.close()
  }
}

function catalogFile(directory: string): string {
  return join(directory, 'catalog.sqlite')
}

function fileExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

async function migrate(connection: Connection): Promise<void> {
  const version = () => connection.get('pragma user_version')!.user_version as number
  const migrations = catalogMigrations('sqlite')
  if (pendingSteps(migrations, version()).length === 0) return
  await connection.transaction(async () => {
    const pending = pendingSteps(migrations, version()) // another process may have migrated it
    for (const statement of pending.flatMap(({ up }) => up)) connection.exec(statement)
    connection.exec(`pragma user_version = ${latestVersion(migrations)}`)
  })
}
