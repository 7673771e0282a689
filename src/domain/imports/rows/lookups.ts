// Finds all records that the rows in one part of an import refer to or update, with a few statements instead of several
// per row. Also stores the values that must not occur twice in a file, each with the row in which it first occurs.

import type { Database } from '../../../engine/database/database.ts'
import { insertRows, padValues, placeholders } from '../../../engine/database/statements.ts'
import type { Resource, Resources } from '../../declarations/resource.ts'
import { type CellError, takeNumbers } from '../../jobs/job-parts.ts'
import { findRecordsByIds, type StoredRecord } from '../../records/changes.ts'
import { comparableValue, findExactly, type LookupKey, type ValueMatch } from './exact-matches.ts'
import { type FoundReading, findReferences, type Reference } from './references.ts'

/** A reference in a row. `field`: the field that refers to the record. `column`: the index of the column that contains the
 *  value; null if the caller has set it. */
export type RowReference = Reference & { field: string; column: number | null }

/** A row as a request: its body fields, the references to look up, the value that identifies the record, and the errors
 *  that validation would not find. */
export type RowRequest = {
  body: Record<string, unknown>
  references: RowReference[]
  key: string | null
  errors: CellError[]
}

export type Lookups = {
  /** Finds the records that have this value. Returns undefined if there are none. */
  find(key: LookupKey): ValueMatch | undefined
  /** Finds the records that a reference may mean. */
  findReadings(reference: Reference): FoundReading[]
  /** Returns the record of the imported resource with this id. */
  record(id: number): StoredRecord | undefined
  /** Returns the row of the file in which a field's value first occurs. */
  valueRow(field: string, value: string): number | undefined
  /** Sets the row in which the value first occurs. */
  setValueRow(field: string, value: string, row: number): void
}

/** `matchBy`: the column that identifies records; null if all rows are new. `unique`: the fields with unique values. */
export type KeyFields = {
  jobId: number
  resource: Resource
  resources: Resources
  matchBy: string | null
  unique: readonly string[]
}

export async function lookUp(
  database: Database,
  { jobId, resource, resources, matchBy, unique }: KeyFields,
  requests: readonly RowRequest[],
): Promise<Lookups> {
  const keys = requests.flatMap(({ key }) => key ?? [])
  const keyOf = (by: string, value: string): LookupKey => ({ resource: resource.name, by, value })
  const find = await findExactly(database, [
    ...(matchBy === null ? [] : keys.map((value) => keyOf(matchBy, value))),
    ...unique.flatMap((by) => valuesOf(requests, by).map((value) => keyOf(by, value))),
  ])
  const references = requests.flatMap((request) => request.references)
  const findReadings = await findReferences(database, resources, references)
  const ids = matchBy === null ? [] : keys.flatMap((key) => find(keyOf(matchBy, key))?.id ?? [])
  const records = await findRecordsByIds(database, resource, ids)
  const valueRows = new Map<string, Map<string, number>>()
  for (const field of matchBy === null ? unique : new Set([matchBy, ...unique])) {
    const texts = field === matchBy ? keys : valuesOf(requests, field)
    const values = [...new Set(texts.map((text) => comparableValue(field, text)))]
    valueRows.set(field, await findValueRows(database, jobId, field, values))
  }
  return {
    find,
    findReadings,
    record: (id) => records.get(id),
    valueRow: (field, value) => valueRows.get(field)?.get(comparableValue(field, value)),
    setValueRow: (field, value, row) => void valueRows.get(field)!.set(comparableValue(field, value), row),
  }
}

/** Returns a field's values in these rows. */
function valuesOf(requests: readonly RowRequest[], field: string): string[] {
  return requests.flatMap(({ body }) => (typeof body[field] === 'string' ? [body[field]] : []))
}

/** A value of a field, and the row of the file in which the value first occurs. */
export type FirstValue = { field: string; value: string; row: number }

/** Returns the row in which each of these values first occurs. Leaves out values that are not stored. */
async function findValueRows(
  database: Database,
  jobId: number,
  field: string,
  values: readonly string[],
): Promise<Map<string, number>> {
  if (values.length === 0) return new Map()
  const sql = `select value, row from import_values where job_id = ? and field = ? and value in (${placeholders(values)})`
  const rows = await database.all<Omit<FirstValue, 'field'>>(sql, [jobId, field, ...padValues(values)])
  return new Map(rows.map(({ value, row }) => [value, row]))
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
