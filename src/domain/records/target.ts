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
} from '../declarations/resource.ts'
import type { Values } from '../fields/validate.ts'
import { noSuchReference } from './constraints.ts'

export type StoredRecord = { id: number } & Values

/** `key`: the record to find; absent for a new record. `references`: external ids of other records, by field. */
export type TargetRequest = {
  resource: Resource
  precondition?: WritePrecondition | undefined
  key?: RecordKey
  references?: Record<string, string>
}

/** `record`: undefined if no record has the key. `references`: the ids by field. If a reference points to a missing
 *  record: the Problem for the first such reference, for the caller to throw after its own checks. */
export type ChangeTarget = { record: StoredRecord | undefined; references: Values | Problem }

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
  const [row, references] = await queries
  return { record: row && toRecord(resource, row), references }
}

/** Returns the id of the record with this key, or undefined if no record has the external id. A key that is already an
 *  id is returned without a query. */
export async function findId(database: Database, { name }: Resource, key: RecordKey): Promise<number | undefined> {
  if (key.column === 'id') return key.value
  return (await database.get<{ id: number }>(`select id from ${name} where ${key.column} = ?`, [key.value]))?.id
}

async function findReferences(database: Database, { resource, references }: TargetRequest): Promise<Values | Problem> {
  if (!references) return {}
  const queries = Object.entries(references).map(async ([name, externalId]) => {
    const field = resource.fields[name]!
    if (field.kind !== 'reference') throw new Error(`${resource.name}.${name} is not a reference`)
    const sql = `select id from ${field.to} where ${externalIdField} = ?`
    const row = await database.get<{ id: number }>(sql, [externalId])
    return row ? ([name, row.id] as const) : noSuchReference(field, externalReferenceOf(name), externalId)
  })
  const ids: Values = {}
  for (const result of await Promise.all(queries)) {
    if (result instanceof Problem) return result
    ids[result[0]] = result[1]
  }
  return ids
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
