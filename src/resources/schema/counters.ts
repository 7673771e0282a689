// The last number that each table of a tenant has given. Ids count up and are never given again (§7): whoever writes holds the
// tenant's lock to the end of the transaction, so no two take the same number, and what is rolled back leaves no gap.

import type { Database, Row } from '../../database/database.ts'
import type { Dialect } from '../../database/dialect.ts'

export const countersTable = (dialect: Dialect) =>
  `create table counters (name text primary key, last ${dialect.integer} not null)${dialect.tableEnd}`

/** The statement that makes the counter of a new table. Only declared names are spliced in. */
export function newCounter(table: string): string {
  return `insert into counters (name, last) values ('${table}', 0)`
}

/** The statements that make the counter of a table which an older version numbered otherwise. It goes on behind the highest
 *  number that is in use, that the history knows, or that the engine has given. */
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

/** Notes the number that a table has given. */
export function setCounter(database: Database, table: string, last: number): void {
  database.runDeferred('update counters set last = ? where name = ?', [last, table])
}

/** Has the counters stand where those of another database of the tenant do. */
export function setCounters(database: Database, counters: readonly Row[]): void {
  for (const { name, last } of counters) setCounter(database, name as string, last as number)
}

export async function readCounters(database: Database): Promise<Row[]> {
  return database.all('select name, last from counters order by name')
}
