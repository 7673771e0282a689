// Finds a change's target in the change's own transaction: the record itself, and the records that the request refers
// to by external id (contract §14).

import type { Database, Row } from '../../engine/database/database.ts'
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
    key && database.get(findSql(database.engine, resource)[key.column], [key.value]),
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
  const row = await database.get(`select id from ${name} where ${key.column} = ?`, [key.value])
  return row?.id as number | undefined
}

async function findReferences(database: Database, { resource, references }: TargetRequest): Promise<Values | Problem> {
  if (!references) return {}
  const queries = Object.entries(references).map(async ([name, externalId]) => {
    const field = resource.fields[name]!
    if (field.kind !== 'reference') throw new Error(`${resource.name}.${name} is not a reference`)
    const row = await database.get(`select id from ${field.to} where ${externalIdField} = ?`, [externalId])
    return row ? ([name, row.id as number] as const) : noSuchReference(field, externalReferenceOf(name), externalId)
  })
  const found = await Promise.all(queries)
  return found.find((result) => result instanceof Problem) ?? Object.fromEntries(found as [string, number][])
}

const findSql = deriveOncePerEngine((_, resource: Resource) => {
  const select = `select ${columns(resource).join(', ')} from ${resource.name}`
  return { id: `${select} where id = ?`, [externalIdField]: `${select} where ${externalIdField} = ?` }
})

/** Converts a row with all columns to a record. */
export function toRecord(resource: Resource, row: Row): StoredRecord {
  for (const name of booleansOf(resource)) if (row[name] !== null) row[name] = Boolean(row[name])
  return row as StoredRecord
}
