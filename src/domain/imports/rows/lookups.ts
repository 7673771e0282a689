// Finds all records that the rows in one part of an import refer to or update, with a few statements instead of several
// per row. Also stores the values that must not occur twice in a file, each with the row in which it first occurs.

import type { Database } from '../../../engine/database/database.ts'
import { insertRows, padValues, placeholders } from '../../../engine/database/statements.ts'
import { type Resource, type Resources, stockFieldOf } from '../../declarations/resource.ts'
import { takeNumbers } from '../../jobs/job-parts.ts'
import { findRecordsByIds, type StoredRecord } from '../../records/changes.ts'
import { findStocks } from '../../records/stock.ts'
import { readDate } from '../file/dates.ts'
import { findPresentIds } from './present-references.ts'
import {
  comparableValue,
  type FoundReading,
  findExactly,
  findReferences,
  type LookupKey,
  onlyRecord,
  readIdCell,
  type SoughtReference,
  type ValueMatch,
} from './references.ts'
import type { RowReference, RowRequest } from './row-request.ts'

export type Lookups = {
  /** Finds the records that have this value. Returns undefined if there are none. */
  find(key: LookupKey): ValueMatch | undefined
  /** Finds the records that a reference may mean. */
  findReadings(reference: SoughtReference): FoundReading[]
  /** Returns the record that a row means. */
  recordOf(request: RowRequest): StoredRecord | undefined
  /** Returns the id of the record to which the row's record already refers, if the row is one of an export and its
   *  ambiguous reference may mean that record. */
  presentId(request: RowRequest, reference: RowReference): number | undefined
  /** Returns the id of a branch's stock. Undefined if the branch has none. */
  stockOf(branch: number): number | undefined
  /** Returns the row of the file in which a field's value first occurs. */
  valueRow(field: string, value: string): number | undefined
  /** Sets the row in which the value first occurs. */
  setValueRow(field: string, value: string, row: number): void
}

/** `matchBy`: the column that identifies records; null if there is none. `unique`: the fields with unique values.
 *  `distinctive`: further fields whose values existing records should not have. `mayRepeat`: whether a field's value may occur
 *  in several rows; others are not stored. */
export type KeyFields = {
  jobId: number
  resource: Resource
  resources: Resources
  matchBy: string | null
  unique: readonly string[]
  distinctive: readonly string[]
  mayRepeat: (field: string, value: string) => boolean
}

export async function lookUp(
  database: Database,
  { jobId, resource, resources, matchBy, unique, distinctive, mayRepeat }: KeyFields,
  requests: readonly RowRequest[],
): Promise<Lookups> {
  const keys = requests.flatMap(({ key }) => key ?? [])
  const keyOf = (by: string, value: string): LookupKey => ({ resource: resource.name, by, value })
  const find = await findExactly(database, [
    ...(matchBy === null ? [] : keys.map((value) => keyOf(matchBy, value))),
    ...[...unique, ...distinctive].flatMap((by) => valuesOf(requests, by).map((value) => keyOf(by, value))),
  ])
  const references = requests.flatMap((request) => request.references)
  const findReadings = await findReferences(database, resources, references)
  const findByKey = ({ key }: RowRequest) =>
    key === null || matchBy === null ? undefined : find(keyOf(matchBy, key))?.id
  const idsOf = (request: RowRequest) => [findByKey(request) ?? [], exportedId(request) ?? []].flat()
  const records = await findRecordsByIds(database, resource, [...new Set(requests.flatMap(idsOf))])
  const recordOf = (request: RowRequest) => {
    const id = findByKey(request)
    return id === undefined ? findExported(records, request) : records.get(id)
  }
  const exportedBy = (request: RowRequest) => {
    const record = findExported(records, request)
    return record && record.id === recordOf(request)?.id ? record : undefined
  }
  const presentId = requests.some(({ exported }) => exported)
    ? await findPresentIds(database, { resource, resources }, requests, { exportedBy, findReadings })
    : () => undefined
  const { member } = stockFieldOf(resource)?.stock ?? {}
  const branches = requests.flatMap((request) =>
    request.references.flatMap((reference) =>
      reference.field === member ? (onlyRecord(findReadings(reference)) ?? presentId(request, reference) ?? []) : [],
    ),
  )
  const stocks = branches.length > 0 ? await findStocks(database, branches) : new Map<number, number>()
  const valueRows = new Map<string, Map<string, number>>()
  for (const field of new Set([...(matchBy === null ? [] : [matchBy]), 'id', ...unique])) {
    const ids = () => requests.flatMap((request) => String(recordOf(request)?.id ?? []))
    const texts = field === matchBy ? keys : field === 'id' ? ids() : valuesOf(requests, field)
    const values = [...new Set(texts.map((text) => comparableValue(field, text)))].filter((each) =>
      mayRepeat(field, each),
    )
    valueRows.set(field, await findValueRows(database, jobId, field, values))
  }
  return {
    find,
    findReadings,
    recordOf,
    presentId,
    stockOf: (branch) => stocks.get(branch),
    valueRow: (field, value) => valueRows.get(field)?.get(comparableValue(field, value)),
    setValueRow: (field, value, row) => void valueRows.get(field)!.set(comparableValue(field, value), row),
  }
}

function exportedId({ exported }: RowRequest): number | undefined {
  const id = exported && readIdCell(exported.id)
  return id === undefined ? undefined : Number(id)
}

/** Returns the record with the id and the creation time of the row. Another installation's record has another time. */
function findExported(records: ReadonlyMap<number, StoredRecord>, request: RowRequest): StoredRecord | undefined {
  const record = records.get(exportedId(request) ?? 0)
  return record && isSameTime(String(record.created_at), request.exported!.createdAt) ? record : undefined
}

/** Spreadsheets write a time without its `T`, its fraction of a second and its zone, and a date as in their language.
 *  `stored`: RFC 3339. */
function isSameTime(stored: string, cell: string): boolean {
  const [, date = '', time] = /^(\S+?)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|\+00:00)?$/.exec(cell) ?? []
  return time !== undefined && stored.startsWith(`${readDate(date, undefined)}T${time}`)
}

/** Returns a field's values in these rows. */
function valuesOf(requests: readonly RowRequest[], field: string): string[] {
  return requests.flatMap(({ body }) => (typeof body[field] === 'string' ? [body[field]] : []))
}

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
