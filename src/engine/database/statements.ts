// Statements that several modules need: rows inserted together, lists of values, and the last id that each table of a
// tenant has assigned. Ids increase and are never reused (§7). Every writer holds the tenant's lock until its transaction
// ends, so no two writers assign the same id, and a rollback leaves no gap.

import type { Clause, Database, Value } from './database.ts'

/** Inserts the rows without waiting for the result, like `runDeferred`. All rows must have the same columns in the same
 *  order. `ending`: SQL that follows the rows. Only declared names are interpolated.
 *
 *  PostgreSQL receives the rows as a single value, so that the statement is the same for any number of rows. */
export function insertRows(
  database: Database,
  table: string,
  rows: readonly Record<string, Value>[],
  ending = '',
): void {
  if (rows.length === 0) return
  const names = Object.keys(rows[0]!)
  const columns = names.join(', ')
  if (database.engine === 'postgres') {
    const source = `json_populate_recordset(null::${table}, ?)`
    const sql = `insert into ${table} (${columns}) select ${columns} from ${source} ${ending}`
    database.runDeferred(sql, [JSON.stringify(rows)])
    return
  }
  const sql = `insert into ${table} (${columns}) values (${unpaddedPlaceholders(names)}) ${ending}`
  for (const row of rows) database.runDeferred(sql, Object.values(row))
}

/** The lengths of padded lists. With few different lengths, there are few different statements, so more of them are
 *  found in the statement cache. */
const paddedLengths = [8, 64]

/** Returns the values, with the last value repeated until the list has the next of these lengths. */
export function padValues<Value>(values: readonly Value[]): Value[] {
  const length = paddedLengths.find((length) => length >= values.length) ?? values.length
  return [...values, ...new Array<Value>(length - values.length).fill(values.at(-1)!)]
}

/** Returns a placeholder for each value, without padding. */
export function unpaddedPlaceholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}

/** Returns a placeholder for each of the padded values. */
export function placeholders(values: readonly unknown[]): string {
  return unpaddedPlaceholders(padValues(values))
}

/** The statement that creates a new table's counter. Only declared names are interpolated. */
export function newCounter(table: string): string {
  return `insert into counters (name, last) values ('${table}', 0)`
}

export async function readCounter(database: Database, table: string): Promise<number> {
  const row = await database.get<{ last: number }>('select last from counters where name = ?', [table])
  return row!.last
}

/** Records the last id that a table has assigned. */
export function setCounter(database: Database, table: string, last: number): void {
  database.runDeferred('update counters set last = ? where name = ?', [last, table])
}

/** Returns a condition that is true if the column has one of these values. */
export function isOneOf(engine: Database['engine'], column: string, ids: readonly (number | string)[]): Clause {
  return engine === 'sqlite'
    ? { sql: `${column} in (select value from json_each(?))`, values: [`[${ids}]`] }
    : { sql: `${column} = any(?::bigint[])`, values: [`{${ids}}`] }
}

/** Returns a condition that is true if a column's text contains upper-case letters. */
export function hasUpperCase(column: string): string {
  return `${column} <> lower(${column})`
}

/** Returns a condition that is true if a column's text in lower case is in a list. The column's index finds the texts that
 *  are in lower case, and an index on the others finds those. `list` is used twice. */
export function lowerCaseIsIn(column: string, list: string): string {
  return `(${column} in ${list} or (${hasUpperCase(column)} and lower(${column}) in ${list}))`
}
