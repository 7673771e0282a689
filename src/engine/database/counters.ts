// The last id that each table of a tenant has assigned. Ids increase and are never reused (§7). Every writer holds the
// tenant's lock until its transaction ends, so no two writers assign the same id, and a rollback leaves no gap.

import type { Database } from './database.ts'

/** The statement that creates a new table's counter. Only declared names are interpolated. */
export function newCounter(table: string): string {
  return `insert into counters (name, last) values ('${table}', 0)`
}

/** The last id that a table has assigned. */
export async function readCounter(database: Database, table: string): Promise<number> {
  const row = await database.get<{ last: number }>('select last from counters where name = ?', [table])
  return row!.last
}

/** Records the last id that a table has assigned. */
export function setCounter(database: Database, table: string, last: number): void {
  database.runDeferred('update counters set last = ? where name = ?', [last, table])
}
