// The SQL for the rows of imports and bulk edits: the rows to process, in parts, and the rows that failed. A row is a
// row of an imported file, or a record that a bulk edit changes.

import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Database } from '../../engine/database/database.ts'
import { insertRows, padValues, placeholders, readCounter, setCounter } from '../../engine/database/statements.ts'

/** `row`: the row's number in the file, or the record's id. `cells`: the row's cells; empty for a record. */
export type PartRow = { row: number; cells: string[] }

/** An error in a row. `column`: the index of the column with the error; null if the error concerns the row as a
 *  whole. `field`: the field that an error without a column is about. */
export type CellError = { column: number | null; code: string; message: string; field?: string }

export type FailedRow = PartRow & { errors: CellError[] }

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
    parts.map((content, index) => ({
      seq: numbers[index]!,
      job_id: jobId,
      part: from + index,
      content: pack(content),
    })),
  )
}

/** Shorter texts are stored as they are. */
const minPackedLength = 200

/** By default, each call allocates 16 KiB outside of the JavaScript heap, which are freed only when the heap's garbage is
 *  collected: storing a million short rows took 60 MB more. */
const zlibOptions = { chunkSize: 1024 }

/** Returns a shorter form of a JSON text, if there is one. JSON takes six bytes for a control
 *  character, and UTF-8 three for a euro sign, where the file may have one, but an import may take no more than twice the
 *  space of its file (contract §17). Packing 50 rows takes 50 µs and saves three quarters of their space. The result is
 *  base64, because the columns of both engines are text. */
export function pack(json: string): string {
  if (json.length < minPackedLength) return json
  const packed = deflateRawSync(json, zlibOptions).toString('base64')
  return packed.length < Buffer.byteLength(json) ? packed : json
}

/** Returns the JSON text that was packed. All of them are arrays, whose bracket base64 does not contain. */
export function unpack(text: string): string {
  return text.startsWith('[') ? text : inflateRawSync(Buffer.from(text, 'base64'), zlibOptions).toString()
}

/** Writes a part as JSON, which escapes U+0000 and lone surrogates: PostgreSQL cannot store them. Before the cells of a
 *  row stands its number, unless the number follows the one before: most rows of a file are short. */
export function writePart(rows: readonly PartRow[]): string {
  let last = 0
  const content = rows.flatMap(({ row, cells }) => {
    const isNext = row === last + 1 && last > 0
    last = row
    return isNext ? [cells] : [row, cells]
  })
  return JSON.stringify(content)
}

/** Reads what writePart has written, or version 1.0.0: an array for each row, with its number before the cells. */
export function parsePart(content: string): PartRow[] {
  const items: (number | string[] | NumberedCells)[] = JSON.parse(content)
  let row = 0
  return items.flatMap((item) => {
    if (typeof item === 'number') {
      row = item - 1
      return []
    }
    if (!isNumbered(item)) return { row: ++row, cells: item }
    const [number, ...cells] = item
    return { row: number, cells }
  })
}

type NumberedCells = [row: number, ...cells: string[]]

function isNumbered(item: string[] | NumberedCells): item is NumberedCells {
  return typeof item[0] === 'number'
}

export async function readPart(database: Database, jobId: number, part: number): Promise<PartRow[]> {
  const sql = 'select content from job_parts where job_id = ? and part = ?'
  const row = await database.get<{ content: string }>(sql, [jobId, part])
  if (!row) throw new Error(`part ${part} of job ${jobId} is missing`)
  return parsePart(unpack(row.content))
}

/** Rows often fail for the same reasons. Of the failures given together, each with the errors of an earlier one refers to that
 *  one's row: 10,000 rows with ten errors would take ten megabytes. */
export async function insertFailures(
  database: Database,
  jobId: number,
  pass: number,
  failures: readonly FailedRow[],
): Promise<void> {
  if (failures.length === 0) return
  const numbers = await takeNumbers(database, 'job_failures', failures.length)
  const firstRows = new Map<string, number>()
  const rows = failures.map(({ row, cells, errors }, index) => {
    const text = JSON.stringify(
      errors.map(({ column, code, message, field }) => [column, code, message, ...(field ? [field] : [])]),
    )
    const first = firstRows.get(text)
    if (first === undefined) firstRows.set(text, row)
    return {
      seq: numbers[index]!,
      job_id: jobId,
      pass,
      row,
      cells: pack(JSON.stringify(cells)),
      errors: first === undefined ? text : String(first),
    }
  })
  insertRows(database, 'job_failures', rows)
}

/** A page of failed rows ends after this many bytes, because a row can have megabytes. */
const maxPageBytes = 500_000

/** Returns a page of the failed rows after row `after`, in order. The page is empty only if there are no more rows. */
export async function listFailures(
  database: Database,
  { jobId, pass, after, limit }: { jobId: number; pass: number; after: number; limit: number },
): Promise<FailedRow[]> {
  const page = `select row, cells, errors, octet_length(cells) as size from job_failures
    where job_id = ? and pass = ? and row > ? order by row limit ${limit}`
  const sql = `select row, cells, errors from (
      select row, cells, errors, sum(size) over (order by row) - size as preceding from (${page}) as page
    ) as sized where preceding < ${maxPageBytes} order by row`
  const rows = await database.all<FailureRow & { cells: string }>(sql, [jobId, pass, after])
  const failures: FailedRow[] = []
  let bytes = 0 // when unpacked
  const errorsOf = await readErrors(database, { jobId, pass }, rows)
  for (const { row, cells: packed, errors } of rows) {
    if (bytes >= maxPageBytes) break
    const cells = unpack(packed)
    bytes += cells.length
    failures.push({ row, cells: JSON.parse(cells), errors: errorsOf(errors) })
  }
  return failures
}

/** Returns the errors of a pass's first failed rows, without the cells. */
export async function listErrors(
  database: Database,
  { jobId, pass, limit }: { jobId: number; pass: number; limit: number },
): Promise<Omit<FailedRow, 'cells'>[]> {
  const sql = `select row, errors from job_failures where job_id = ? and pass = ? order by row limit ${limit}`
  const rows = await database.all<FailureRow>(sql, [jobId, pass])
  const errorsOf = await readErrors(database, { jobId, pass }, rows)
  return rows.map(({ row, errors }) => ({ row, errors: errorsOf(errors) }))
}

/** Returns the errors of these failed rows, as far as they are kept. */
export async function listErrorsOfRows(
  database: Database,
  { jobId, pass, rows }: { jobId: number; pass: number; rows: readonly number[] },
): Promise<Omit<FailedRow, 'cells'>[]> {
  const failures = await findErrors(database, { jobId, pass }, rows)
  const errorsOf = await readErrors(database, { jobId, pass }, failures)
  return failures.map(({ row, errors }) => ({ row, errors: errorsOf(errors) }))
}

type FailureRow = { row: number; errors: string }

type JobPass = { jobId: number; pass: number }

async function findErrors(
  database: Database,
  { jobId, pass }: JobPass,
  rows: readonly number[],
): Promise<FailureRow[]> {
  if (rows.length === 0) return []
  const padded = padValues(rows)
  const sql = `select row, errors from job_failures where job_id = ? and pass = ? and row in (${placeholders(padded)})`
  return database.all<FailureRow>(sql, [jobId, pass, ...padded])
}

/** Returns a function that reads the errors of one of these failures, also if they are stored with an earlier row. */
async function readErrors(
  database: Database,
  jobPass: JobPass,
  failures: readonly FailureRow[],
): Promise<(errors: string) => CellError[]> {
  const referred = failures.flatMap(({ errors }) => (isReference(errors) ? Number(errors) : []))
  const rows = await findErrors(database, jobPass, [...new Set(referred)])
  const found = new Map(rows.map(({ row, errors }) => [String(row), parseErrors(errors)]))
  return (errors) => (isReference(errors) ? (found.get(errors) ?? []) : parseErrors(errors))
}

function isReference(errors: string): boolean {
  return !errors.startsWith('[')
}

function parseErrors(text: string): CellError[] {
  const errors: [number | null, string, string, string?][] = JSON.parse(text)
  return errors.map(([column, code, message, field]) => ({ column, code, message, ...(field && { field }) }))
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
  const firstRows = `select seq from ${table} where job_id = ?${condition} order by seq limit ${limit}`
  return (await database.run(`delete from ${table} where seq in (${firstRows})`, [jobId, ...values])) === limit
}
