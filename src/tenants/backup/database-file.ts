// Reads the content of a database file, and checks the file for damage. The file may have any schema version and is not
// migrated.

import { Unavailable } from '../../engine/database/database.ts'
import { type Connection, connect } from '../../engine/database/sqlite/connection.ts'
import { DamagedBackup } from './access.ts'
import type { ArchivedDatabase } from './manifest.ts'

/** Returns the number of rows in each table, except SQLite's internal tables and the search index. */
export function countRows(database: Pick<Connection, 'all' | 'get'>): Record<string, number> {
  const tables = database.all<{ name: string }>(
    `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite%' order by name`,
  )
  const count = (name: string) => database.get<{ count: number }>(`select count(*) as count from "${name}"`)!.count
  return Object.fromEntries(tables.map(({ name }) => [name, count(name)]))
}

export function schemaOf(database: Pick<Connection, 'get'>): number {
  return database.get<{ user_version: number }>('pragma user_version')!.user_version
}

/** Opens a file for reading. No other connection may use the file. */
export function withDatabaseFile<T>(path: string, callback: (connection: Connection) => T): T {
  const connection = connect(path, 0, 'read')
  try {
    return callback(connection)
  } finally {
    connection.close()
  }
}

/** Checks every page, every index and every reference, and compares the schema version and the row counts with the
 *  manifest. `tenant`: the tenant to which the database must belong, and its last change. Throws DamagedBackup. */
export function requireIntact(path: string, archived: ArchivedDatabase, tenant?: { id: string; seq: number }): void {
  try {
    withDatabaseFile(path, (connection) => {
      const { integrity_check } = connection.get('pragma integrity_check(1)')!
      if (integrity_check !== 'ok') throw new DamagedBackup(`the database is damaged: ${integrity_check}`)
      if (connection.get('pragma foreign_key_check')) throw new DamagedBackup('a record refers to one that is missing')
      if (schemaOf(connection) !== archived.schema)
        throw new DamagedBackup('the schema version does not match the manifest')
      const rows = countRows(connection)
      const table = Object.keys({ ...rows, ...archived.rows }).find((name) => rows[name] !== archived.rows[name])
      if (table)
        throw new DamagedBackup(`there are ${rows[table] ?? 0} rows of ${table}, not ${archived.rows[table] ?? 0}`)
      if (tenant) requireTenant(connection, tenant)
    })
  } catch (error) {
    throw error instanceof Unavailable ? new DamagedBackup(`the database cannot be read: ${error.message}`) : error
  }
}

function requireTenant(connection: Connection, { id, seq }: { id: string; seq: number }): void {
  if (connection.get('select id from tenant')?.id !== id)
    throw new DamagedBackup('it is the database of another tenant')
  const last = connection.get('select coalesce(max(seq), 0) as seq from changes')!.seq
  if (last !== seq) throw new DamagedBackup(`the last change is ${last}, not ${seq}`)
}
