// Inserts many rows into a table without a round trip for each.

import type { Database, Value } from './database.ts'

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
  const sql = `insert into ${table} (${columns}) values (${names.map(() => '?').join(', ')}) ${ending}`
  for (const row of rows) database.runDeferred(sql, Object.values(row))
}
