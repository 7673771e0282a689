// The SQL for the values that must not occur twice in a file, each with the row in which it first occurs.

import type { Database } from '../../engine/database/database.ts'
import { insertRows } from '../../engine/database/insert-rows.ts'
import { padValues, placeholders } from '../../engine/database/value-list.ts'
import { takeNumbers } from '../jobs/job-parts.ts'

/** A value of a field, and the row of the file in which the value first occurs. */
export type FirstValue = { field: string; value: string; row: number }

/** Returns the row in which each of these values first occurs. Leaves out values that are not stored. */
export async function findValueRows(
  database: Database,
  jobId: number,
  field: string,
  values: readonly string[],
): Promise<Map<string, number>> {
  if (values.length === 0) return new Map()
  const sql = `select value, row from import_values where job_id = ? and field = ? and value in (${placeholders(values)})`
  const rows = await database.all(sql, [jobId, field, ...padValues(values)])
  return new Map(rows.map(({ value, row }) => [value as string, row as number]))
}

/** A value that is already stored keeps its earlier row. */
export async function insertValues(database: Database, jobId: number, values: readonly FirstValue[]): Promise<void> {
  if (values.length === 0) return
  const numbers = await takeNumbers(database, 'import_values', values.length)
  const rows = values.map(({ field, value, row }, index) => ({
    seq: numbers[index]!,
    job_id: jobId,
    field,
    value,
    row,
  }))
  insertRows(database, 'import_values', rows, 'on conflict (job_id, field, value) do nothing')
}
