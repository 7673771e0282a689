// A change: the record that it is about, with the records that it refers to, and the history row that describes it
// (contract §13). The row is written in the same transaction as the change; only erasure and retention modify it.

import { randomUUIDv7 } from 'node:crypto'
import type { Database, Value } from '../../engine/database/database.ts'
import { insertRows, padValues, placeholders } from '../../engine/database/statements.ts'
import type { ChangeOf, MutationInput, Pipelined } from '../../engine/mutation.ts'
import { noPrecondition, type WritePrecondition } from '../../engine/responses/idempotency.ts'
import { Problem } from '../../problem.ts'
import {
  booleansOf,
  columns,
  deriveOncePerEngine,
  externalIdField,
  externalReferenceOf,
  type RecordKey,
  type Resource,
  type Resources,
  stockFieldOf,
} from '../declarations/resource.ts'
import type { Values } from '../fields/validate.ts'
import { noSuchReference } from './constraints.ts'
import { findStock } from './stock.ts'
import { findByKey } from './stored-forms.ts'

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
    key &&
      findByKey(key, (value) => database.get<StoredRecord>(findSql(database.engine, resource)[key.column], [value])),
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
  const sql = `select id from ${name} where ${key.column} = ?`
  return (await findByKey(key, (value) => database.get<{ id: number }>(sql, [value])))?.id
}

async function findReferences(database: Database, request: TargetRequest): Promise<FoundReferences> {
  const { resource, references = {}, stockOf } = request
  const queries = Object.entries(references).map(([name, id]) => findReference(database, resource, name, id))
  const results = await Promise.all([...queries, ...(stockOf ? [findStockFor(database, resource, stockOf)] : [])])
  const missing = results.find((each) => each instanceof Problem)
  if (missing) return { references: missing }
  const ids = results.flatMap((each) => (each instanceof Problem || 'values' in each ? [] : [[each.field, each.id]]))
  const newStock = results.find((each): each is NewStock => 'values' in each)
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
  const key = { column: externalIdField, value: externalId } as const
  const row = await findByKey(key, (value) => database.get<{ id: number }>(sql, [value]))
  return row ? { field: name, id: row.id } : noSuchReference(field, externalReferenceOf(name), externalId)
}

async function findStockFor(
  database: Database,
  resource: Resource,
  branch: RecordKey,
): Promise<FoundReference | NewStock> {
  const { name: field, stock } = stockFieldOf(resource)!
  const result = await findStock(database, stock, branch)
  if (result instanceof Problem) return result
  return typeof result === 'number' ? { field, id: result } : { field, values: result }
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

export type Actor = { apiKeyId: string } | { userId: string } | { command: true }

/** The columns in which a row names an actor. A command has no id. */
export function actorColumns(actor: Actor): { api_key_id: string | null; user_id: string | null } {
  return {
    api_key_id: 'apiKeyId' in actor ? actor.apiKeyId : null,
    user_id: 'userId' in actor ? actor.userId : null,
  }
}

/** What is recorded with every change: its time (RFC 3339, UTC), who made it, and the ids of its request and change
 *  set. */
export type ChangeContext = { now: string; actor: Actor; requestId: string; changeSet: string }

/** The change that an operation is making, apart from its request. */
export type OngoingChange = ChangeOf<Resources, ChangeContext>

export type PipelinedChange = OngoingChange & Pipelined

export type ChangeInput<Request> = MutationInput<Request, ChangeContext>

/** Returns the id of a new change set, which groups the changes made by one request, form, import or undo (contract
 *  §16). The UUIDs begin with the time, so that their index grows only at its end. */
export function newChangeSet(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${randomUUIDv7().slice(13)}`
}

/** The time at the start of a change set's id; undefined for a UUID of a different version. */
export function timeOfChangeSet(uuid: string): string | undefined {
  if (uuid[14] !== '7') return undefined
  return new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)).toISOString()
}

/** `before` and `after` contain the changed fields. `before` is null for a creation, `after` for a deletion. */
export type Change = {
  resource: string
  recordId: number
  action: 'create' | 'update' | 'delete'
  before: Values | null
  after: Values | null
}

/** A history row's columns, in table order. */
export const changeColumns = [
  'seq',
  'at',
  'resource',
  'record_id',
  'action',
  'before',
  'after',
  'api_key_id',
  'user_id',
  'request_id',
  'change_set',
]

const columnsAfterSeq = changeColumns.slice(1)
const parameters = columnsAfterSeq.map(() => '?').join(', ')

/** SQLite numbers a row itself, by the same rule. A query of the table would make it collect the row in a temporary
 *  table first, which takes 5 µs. */
const insertSql = {
  sqlite: `insert into changes (${columnsAfterSeq.join(', ')}) values (${parameters})`,
  postgres: `insert into changes (${changeColumns.join(', ')}) select coalesce(max(seq), 0) + 1, ${parameters} from changes`,
} as const satisfies Record<Database['engine'], string>

/** Adds a history row. A tenant's changes run one after another, so the numbers have no gaps and follow the order of
 *  commits. A client that reads changes in sequence therefore does not miss any. */
export function recordChange(database: Database, context: ChangeContext, change: Change): void {
  database.runDeferred(insertSql[database.engine], Object.values(columnsOf(context, change)))
}

export async function recordChanges(
  database: Database,
  context: ChangeContext,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return
  const newest = await database.get('select coalesce(max(seq), 0) as seq from changes')
  const first = Number(newest!.seq) + 1
  insertRows(
    database,
    'changes',
    changes.map((change, index) => ({ seq: first + index, ...columnsOf(context, change) })),
  )
}

/** The columns of a row except `seq`, in table order. */
function columnsOf({ now, actor, requestId, changeSet }: ChangeContext, change: Change): Record<string, Value> {
  return {
    at: now,
    resource: change.resource,
    record_id: change.recordId,
    action: change.action,
    before: change.before && JSON.stringify(change.before),
    after: change.after && JSON.stringify(change.after),
    ...actorColumns(actor),
    request_id: requestId,
    change_set: changeSet,
  }
}
