// The last id that each table of a tenant has assigned. Ids increase and are never reused (§7): every writer holds the
// tenant's lock until its transaction ends, so no two writers take the same id, and a rollback leaves no gap.

import type { Database, Row } from '../../database/database.ts'
import type { Dialect } from '../../database/dialect.ts'

export const countersTable = (dialect: Dialect) =>
  `create table counters (name text primary key, last ${dialect.integer} not null)${dialect.tableEnd}`

/** The statement that creates the counter of a new table. Only declared names are interpolated. */
export function newCounter(table: string): string {
  return `insert into counters (name, last) values ('${table}', 0)`
}

/** The statements that create the counter of a table from before schema version 8, when the engine assigned the ids. The
 *  counter continues after the highest id in the table, in the history, or in the engine's own sequence. */
export function continueCounter(table: string, key: string, dialect: Dialect): string[] {
  const known = `select max(record_id) as last from changes where resource = '${table}'`
  const given = {
    sqlite: `select seq as last from sqlite_sequence where name = '${table}'`,
    postgres: `select pg_sequence_last_value(pg_get_serial_sequence('${table}', '${key}')::regclass) as last`,
  }[dialect.engine]
  const all = [`select max(${key}) as last from ${table}`, known, given].join(' union all ')
  return [
    `insert into counters (name, last) select '${table}', coalesce(max(last), 0) from (${all}) known`,
    ...(dialect.engine === 'postgres' ? [`alter table ${table} alter column ${key} drop identity if exists`] : []),
  ]
}

/** Records the last id that a table has assigned. */
export function setCounter(database: Database, table: string, last: number): void {
  database.runDeferred('update counters set last = ? where name = ?', [last, table])
}

/** Sets the counters to those of another database of the tenant. */
export function setCounters(database: Database, counters: readonly Row[]): void {
  for (const { name, last } of counters) setCounter(database, name as string, last as number)
}

export async function readCounters(database: Database): Promise<Row[]> {
  return database.all('select name, last from counters order by name')
}
