// The work on a tenant's whole file: migrating it, checking its schema version, owner and integrity, inspecting it
// without changing it, and compacting it.

import { statSync } from 'node:fs'
import { errorCodeOf, errorMessageOf } from '../../lib/errors.ts'
import { Unavailable } from '../database/database.ts'
import { type Connection, examineFile, sqliteDialect } from '../database/sqlite/connection.ts'
import { checkpoint } from '../database/sqlite/files.ts'
import { MigrationFailed } from '../migration-queue.ts'
import type { Product, ProductSchema } from '../product.ts'
import type { DatabaseOwner, TenantInspection } from '../tenant-databases.ts'

/** A table that only databases of development versions before 1.0.0 have. It is called `stored_responses` today. */
const tableBeforeRelease = 'answers'

/** `owner` is stored in a new file, so that a file in the wrong place is detected. Throws MigrationFailed and
 *  Unavailable. */
export async function migrate(connection: Connection, { schema }: Product, owner: DatabaseOwner): Promise<void> {
  if (!isBehind(connection, schema)) return
  try {
    await connection.transaction(async () => {
      const from = fileVersion(connection) // read again: another process may have migrated the file
      if (from === schema.version) return
      if (from > 0) {
        requireReleased(connection)
        await schema.migrate(connection, from, sqliteDialect)
      } else {
        await schema.create(connection, sqliteDialect)
        connection.run('insert into tenant (id, state) values (?, ?)', [owner.id, owner.state])
      }
      connection.exec(`pragma user_version = ${schema.version}`)
    })
  } catch (error) {
    throw error instanceof Unavailable ? error : new MigrationFailed(errorMessageOf(error))
  }
}

/** Whether the file needs a migration. Throws Unavailable if its schema is newer than this program. */
export function isBehind(connection: Connection, schema: ProductSchema): boolean {
  const version = fileVersion(connection)
  if (version > schema.version)
    throw new Unavailable(`created by a newer version (schema ${version}, this is ${schema.version})`)
  return version < schema.version
}

/** Returns the schema version. Throws Unavailable when a file is empty or was not created by this program. */
export function requireInitialized(connection: Connection): number {
  const version = fileVersion(connection)
  if (version === 0) throw new Unavailable('the file is empty or was not created by this program')
  return version
}

/** Throws Unavailable when a file belongs to another tenant, or its tenant is being moved to another server. */
export function requireOwnedBy(connection: Connection, tenant: string): void {
  const owner = databaseOwner(connection)
  if (owner?.id !== tenant || owner.state !== 'open')
    throw new Unavailable(
      `the file is not open to this tenant: its owner is "${owner?.id}", and its state is ${owner?.state}`,
    )
}

export function databaseOwner(connection: Connection): DatabaseOwner | undefined {
  return connection.get<DatabaseOwner>('select id, state from tenant')
}

/** Like requireInitialized. Throws MigrationFailed if the file cannot be migrated. */
function requireReleased(connection: Connection): number {
  if (isBeforeRelease(connection))
    throw new MigrationFailed('it was written by a development version before 1.0.0, and cannot be migrated')
  return requireInitialized(connection)
}

/** Whether a development version before 1.0.0 wrote the file. Its version number has no meaning today. */
export function isBeforeRelease(connection: Connection): boolean {
  const sql = `select 1 as found from sqlite_schema where type = 'table' and name = ?`
  return connection.get(sql, [tableBeforeRelease]) !== undefined
}

/** Reads every page. Returns a description of the damage, or null if the file is sound. */
export function findDamage(connection: Connection): string | null {
  const result = connection.get('pragma quick_check(1)')?.quick_check
  return result === 'ok' ? null : `the file is damaged (${result})`
}

/** Returns the file's schema version, or 0 for an empty file. */
function fileVersion(connection: Connection): number {
  return connection.get<{ user_version: number }>('pragma user_version')!.user_version
}

/** The assumed speed of a search for damage, which reads the whole file and cannot be interrupted. Few disks are
 *  slower. */
const bytesPerMs = 50_000

/** `deadline`: see TenantDatabases.inspect. Throws Unavailable. */
export function inspectFile(path: string, deadline: number, { schema }: Product): TenantInspection {
  const bytes = sizeOf(path)
  const isSearched = performance.now() + bytes / bytesPerMs < deadline
  return examineFile(
    path,
    (connection) => ({
      schemaVersion: requireReleased(connection),
      owner: databaseOwner(connection) ?? null,
      isSearched,
      latestChangeAt: connection.get<{ at: string | null }>(schema.latestChangeTime)?.at ?? null,
      damage: isSearched ? findDamage(connection) : null,
    }),
    ({ damage }) => damage === null,
  )
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch (error) {
    const [code, message] = [errorCodeOf(error), errorMessageOf(error)]
    if (code === 'ENOENT') throw new Unavailable(`there is no file ${path}`, 'missing')
    throw new Unavailable(message, 'permission')
  }
}

/** During the rewrite, reads continue but writes wait. Requires free disk space for two copies of the file: one in the
 *  temporary directory, one in the write-ahead log. Throws Unavailable. */
export async function compact(connection: Connection, { searchIndex }: Product): Promise<void> {
  await connection.transaction(() => searchIndex.optimize(connection))
  connection.exec('pragma temp_store = file') // a large file would not fit into memory
  connection.exec('vacuum')
  checkpoint(connection, 'truncate') // the log still contains the old pages
}
