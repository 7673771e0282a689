// Finds a change's target in the change's own transaction: the record itself, and the records that the request refers
// to by external id (contract §14).

import type { Database } from '../../engine/database/database.ts'
import { padValues, placeholders } from '../../engine/database/statements.ts'
import { noPrecondition, type WritePrecondition } from '../../engine/responses/idempotency.ts'
import { Problem } from '../../problem.ts'
import { deriveOncePerEngine } from '../declarations/derive.ts'
import {
  booleansOf,
  columns,
  externalIdField,
  externalReferenceOf,
  type RecordKey,
  type Resource,
  stockFieldOf,
} from '../declarations/resource.ts'
import type { Values } from '../fields/validate.ts'
import { noSuchReference } from './constraints.ts'
import { findStock } from './stock.ts'

export type StoredRecord = { id: number } & Values

/** `key`: the record to find; absent for a new record. `references` and `stockOf`: see RecordInput. */
export type TargetRequest = {
  resource: Resource
  precondition?: WritePrecondition | undefined
  key?: RecordKey
  references?: Record<string, string>
  stockOf?: RecordKey
}

/** The records that a request refers to. `references`: their ids by field. If one is missing: the Problem for the first
 *  such reference, for the caller to throw after its own checks. `newStock`: the stock location to create first. */
export type FoundReferences = { references: Values | Problem; newStock?: NewStock }

/** `field`: the field whose value becomes the id of the new stock location. `values`: the location's values. */
export type NewStock = { field: string; values: Values }

/** `record`: undefined if no record has the key. */
export type ChangeTarget = FoundReferences & { record: StoredRecord | undefined }

/** Sends all queries together with the precondition. If the precondition fails, discards the results and throws
 *  WritePreconditionUnmet. */
export async function findTarget(database: Database, request: TargetRequest): Promise<ChangeTarget> {
  const { resource, key, precondition = noPrecondition } = request
  const queries = Promise.all([
    key && database.get<StoredRecord>(findSql(database.engine, resource)[key.column], [key.value]),
    findReferences(database, request),
  ])
  queries.catch(() => {}) // nothing awaits them if the precondition fails
  await precondition.require()
  const [row, found] = await queries
  return { record: row && toRecord(resource, row), ...found }
}

/** Returns the id of the record with this key, or undefined if no record has the external id. A key that is already an
 *  id is returned without a query. */
export async function findId(database: Database, { name }: Resource, key: RecordKey): Promise<number | undefined> {
  if (key.column === 'id') return key.value
  return (await database.get<{ id: number }>(`select id from ${name} where ${key.column} = ?`, [key.value]))?.id
}

async function findReferences(database: Database, request: TargetRequest): Promise<FoundReferences> {
  const { resource, references = {}, stockOf } = request
  const queries = Object.entries(references).map(([name, id]) => findReference(database, resource, name, id))
  const found = await Promise.all([...queries, ...(stockOf ? [findStockFor(database, resource, stockOf)] : [])])
  const missing = found.find((each) => each instanceof Problem)
  if (missing) return { references: missing }
  const ids = found.flatMap((each) => (each instanceof Problem || 'values' in each ? [] : [[each.field, each.id]]))
  const newStock = found.find((each): each is NewStock => 'values' in each)
  return { references: Object.fromEntries(ids), ...(newStock && { newStock }) }
}

type FoundReference = { field: string; id: number } | Problem

async function findReference(
  database: Database,
  resource: Resource,
  name: string,
  externalId: string,
): Promise<FoundReference> {
  const field = resource.fields[name]!
  if (field.kind !== 'reference') throw new Error(`${resource.name}.${name} is not a reference`)
  const sql = `select id from ${field.to} where ${externalIdField} = ?`
  const row = await database.get<{ id: number }>(sql, [externalId])
  return row ? { field: name, id: row.id } : noSuchReference(field, externalReferenceOf(name), externalId)
}

async function findStockFor(
  database: Database,
  resource: Resource,
  branch: RecordKey,
): Promise<FoundReference | NewStock> {
  const { name: field, stock } = stockFieldOf(resource)!
  const found = await findStock(database, stock, branch)
  if (found instanceof Problem) return found
  return typeof found === 'number' ? { field, id: found } : { field, values: found }
}

const findSql = deriveOncePerEngine((_, resource: Resource) => {
  const select = `select ${columns(resource).join(', ')} from ${resource.name}`
  return { id: `${select} where id = ?`, [externalIdField]: `${select} where ${externalIdField} = ?` }
})

/** Converts a row with all columns to a record: SQLite stores booleans as numbers. */
export function toRecord(resource: Resource, row: StoredRecord): StoredRecord {
  const values: Values = row
  for (const name of booleansOf(resource)) if (values[name] !== null) values[name] = Boolean(values[name])
  return row
}

/** Returns the records with these ids, keyed by id. Ids of records that do not exist are left out. */
export async function findRecordsByIds(
  database: Database,
  resource: Resource,
  ids: readonly number[],
): Promise<Map<number, StoredRecord>> {
  if (ids.length === 0) return new Map()
  const sql = `select ${columns(resource).join(', ')} from ${resource.name} where id in (${placeholders(ids)})`
  const rows = await database.all<StoredRecord>(sql, padValues(ids))
  return new Map(rows.map((row) => [row.id, toRecord(resource, row)]))
}
