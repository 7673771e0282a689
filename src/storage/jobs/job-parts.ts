// The SQL for the rows of imports and bulk edits: the rows to process, in parts, and the rows that failed. A row is a
// row of an imported file, or a record that a bulk edit changes.

import type { Database } from '../../database/database.ts'
import { insertRows } from '../../database/insert-rows.ts'
import { readCounter, setCounter } from '../../resources/schema/counters.ts'

/** `row`: the row's number in the file, or the record's id. `cells`: the row's cells; empty for a record. */
export type PartRow = { row: number; cells: string[] }

/** An error in a row. `column`: the title of the column with the error; null if the error concerns the row as a
 *  whole. */
export type RowError = { row: number; column: string | null; code: string; message: string }

/** A row that failed, with every error. */
export type FailedRow = PartRow & { errors: RowError[] }

/** Returns numbers for `count` new rows of a table. */
export async function takeNumbers(database: Database, table: string, count: number): Promise<number[]> {
  const last = await readCounter(database, table)
  setCounter(database, table, last + count)
  return Array.from({ length: count }, (_, index) => last + 1 + index)
}

/** `parts`: JSON texts, in order. `from`: the number of the first part. */
export async function insertParts(
  database: Database,
  jobId: number,
  from: number,
  parts: readonly string[],
): Promise<void> {
  const numbers = await takeNumbers(database, 'job_parts', parts.length)
  insertRows(
    database,
    'job_parts',
    parts.map((content, index) => ({ seq: numbers[index]!, job_id: jobId, part: from + index, content })),
  )
}

/** Writes a part as JSON, which escapes U+0000 and lone surrogates: PostgreSQL cannot store them. */
export function writePart(rows: readonly PartRow[]): string {
  return JSON.stringify(rows.map(({ row, cells }) => [row, ...cells]))
}

export async function readPart(database: Database, jobId: number, part: number): Promise<PartRow[]> {
  const row = await database.get('select content from job_parts where job_id = ? and part = ?', [jobId, part])
  if (!row) throw new Error(`part ${part} of job ${jobId} is missing`)
  const rows = JSON.parse(row.content as string) as [number, ...string[]][]
  return rows.map(([row, ...cells]) => ({ row, cells }))
}

export async function insertFailures(
  database: Database,
  jobId: number,
  pass: number,
  failures: readonly FailedRow[],
): Promise<void> {
  if (failures.length === 0) return
  const numbers = await takeNumbers(database, 'job_failures', failures.length)
  const rows = failures.map(({ row, cells, errors }, index) => ({
    seq: numbers[index]!,
    job_id: jobId,
    pass,
    row,
    cells: JSON.stringify(cells),
    errors: JSON.stringify(errors),
  }))
  insertRows(database, 'job_failures', rows)
}

/** Returns a pass's failed rows that come after row `after`, in order. */
export async function listFailures(
  database: Database,
  { jobId, pass, after, limit }: { jobId: number; pass: number; after: number; limit: number },
): Promise<FailedRow[]> {
  const sql = `select row, cells, errors from job_failures where job_id = ? and pass = ? and row > ? order by row limit ${limit}`
  const rows = await database.all(sql, [jobId, pass, after])
  return rows.map(({ row, cells, errors }) => ({
    row: row as number,
    cells: JSON.parse(cells as string),
    errors: JSON.parse(errors as string),
  }))
}

/** A statement deletes at most this many rows. */
const maxDeletedRows = { job_parts: 20, import_values: 1000, job_failures: 200 } as const

/** Deletes some of what a job has stored, and returns whether there may be more. `exceptPass`: the pass whose failures
 *  are kept. */
export async function deleteStoredRows(database: Database, jobId: number, exceptPass?: number): Promise<boolean> {
  return (
    (await deleteSome(database, 'job_parts', jobId)) ||
    (await deleteSome(database, 'import_values', jobId)) ||
    (await deleteSome(database, 'job_failures', jobId, exceptPass))
  )
}

/** Deletes some of a job's rows from a table, and returns whether there may be more. */
export async function deleteSome(
  database: Database,
  table: keyof typeof maxDeletedRows,
  jobId: number,
  exceptPass?: number,
): Promise<boolean> {
  const limit = maxDeletedRows[table]
  const [condition, values] = exceptPass === undefined ? ['', []] : [' and pass <> ?', [exceptPass]]
  const chosen = `select seq from ${table} where job_id = ?${condition} order by seq limit ${limit}`
  return (await database.run(`delete from ${table} where seq in (${chosen})`, [jobId, ...values])) === limit
}
