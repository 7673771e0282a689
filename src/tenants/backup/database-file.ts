// What is in a database file, and whether it is whole. Reads files of every schema version, which it does not migrate.

import { createHash } from 'node:crypto'
import { Unavailable } from '../../database/database.ts'
import { type Connection, connect } from '../../database/sqlite/connection.ts'
import { DamagedBackup } from './archive.ts'
import type { ArchivedDatabase } from './manifest.ts'

/** The rows of each table, without those that SQLite keeps for itself and for searches. */
export function countRows(database: Pick<Connection, 'all' | 'get'>): Record<string, number> {
  const tables = database.all(
    `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite%' order by name`,
  )
  const count = (name: string) => database.get(`select count(*) as count from "${name}"`)!.count as number
  return Object.fromEntries(tables.map(({ name }) => [name as string, count(name as string)]))
}

export function schemaOf(database: Pick<Connection, 'get'>): number {
  return database.get('pragma user_version')!.user_version as number
}

/** Opens a file that nobody else uses, for reading. */
export function withDatabaseFile<T>(path: string, work: (connection: Connection) => T): T {
  const connection = connect(path, 0, 'read')
  try {
    return work(connection)
  } finally {
    connection.close()
  }
}

/** Checks every page, every index and every reference, and that the rows are those of the manifest. `tenant`: whose database it must
 *  be, and its last change. Throws DamagedBackup. */
export function requireWhole(path: string, archived: ArchivedDatabase, tenant?: { id: string; seq: number }): void {
  try {
    withDatabaseFile(path, (connection) => {
      const { integrity_check } = connection.get('pragma integrity_check(1)')!
      if (integrity_check !== 'ok') throw new DamagedBackup(`the database is damaged: ${integrity_check}`)
      if (connection.get('pragma foreign_key_check')) throw new DamagedBackup('a record refers to one that is missing')
      if (schemaOf(connection) !== archived.schema)
        throw new DamagedBackup('the schema version is not the one of the manifest')
      const rows = countRows(connection)
      const wrong = Object.keys({ ...rows, ...archived.rows }).find((name) => rows[name] !== archived.rows[name])
      if (wrong)
        throw new DamagedBackup(`there are ${rows[wrong] ?? 0} rows of ${wrong}, not ${archived.rows[wrong] ?? 0}`)
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

/** Identifies a state of a tenant. The counters show what was added, and the history what was changed. */
export function fingerprintOf(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
