// Creates, updates, upserts and deletes single records. A record has every column of its resource, in response order.

import type { Database } from '../../engine/database/database.ts'
import { Problem } from '../../problem.ts'
import { noSuchRecord, type RecordKey, type Resource, type Resources } from '../declarations/resource.ts'
import { findNextTag } from '../fields/asset-tags.ts'
import {
  type CheckedInput,
  type InvalidInput,
  type RecordInput,
  requireFields,
  type Values,
} from '../fields/validate.ts'
import { recomputedColumns } from '../schema/derived.ts'
import { type FoundReferences, findTarget, recordChange, type StoredRecord } from './changes.ts'
import { requireReferences, requireUnique } from './constraints.ts'
import { createStock, type StockChange } from './create-stock.ts'
import { countDependents, describeDependents, referencesTo } from './dependents.ts'
import { type Insertion, insertWithHistory } from './insert.ts'

export type RecordChange = Insertion & StockChange

/** `values` contains every field. `givenTags`: the tags that the same request gives to other records. */
export type RecordCreation = RecordChange & RecordInput & { givenTags?: ReadonlySet<string> }

/** `values` contains the fields to change. `check` throws if the record must not be changed. */
export type RecordUpdate = RecordChange & RecordInput & { key: RecordKey; check?: (record: StoredRecord) => void }

/** `resources`: all resources, which are searched for records that prevent the deletion. */
export type RecordDeletion = Omit<RecordUpdate, keyof RecordInput> & { resources: Resources }

/** `changes`: the body, read as changes to an existing record. `creation`: the same body, read as a new record.
 *  `checkAbsent` throws if a record must not be created. */
export type RecordUpsert = Omit<RecordCreation, keyof RecordInput> & {
  key: RecordKey
  changes: CheckedInput
  creation: CheckedInput
  check: (record: StoredRecord) => void
  checkAbsent: () => void
}

/** Throws `validation_failed` for a duplicate value, and the `missingCode` of a reference to a missing record (§4.6,
 *  §4.7). */
export async function createRecord(database: Database, creation: RecordCreation): Promise<StoredRecord> {
  const { references, assignsTag, stockOf } = creation
  if (!references && !assignsTag && !stockOf) return insertWithHistory(database, creation, creation.values)
  return createWithReferences(database, creation, creation, await findTarget(database, creation))
}

/** Throws `not_found`, the errors of `check`, and the errors of createRecord. `isChanged`: whether any value differed. */
export async function updateRecord(
  database: Database,
  update: RecordUpdate,
): Promise<{ record: StoredRecord; isChanged: boolean }> {
  const { record, ...found } = await findTarget(database, update)
  if (!record) throw noSuchRecord(update.resource, update.key)
  update.check?.(record)
  const updated = await changeRecord(database, { ...update, ...found }, record, update.values)
  return { record: updated, isChanged: updated !== record }
}

/** Updates the record with this key, or creates it. Throws `validation_failed`, the errors of both checks, and the
 *  errors of createRecord. A tenant's writes run one after another, so the second of two concurrent upserts finds the
 *  record. */
export async function upsertRecord(
  database: Database,
  upsert: RecordUpsert,
): Promise<{ record: StoredRecord; isNew: boolean; isChanged: boolean }> {
  const { changes, creation } = upsert
  const named = 'errors' in changes ? {} : changes // `creation` has the same references
  const { record, ...found } = await findTarget(database, { ...upsert, ...named })
  const input = record ? changes : creation
  if ('errors' in input) return rejectInvalid(database, upsert, input, record?.id ?? 0)
  if (!record) {
    upsert.checkAbsent()
    return { record: await createWithReferences(database, upsert, input, found), isNew: true, isChanged: true }
  }
  upsert.check(record)
  const updated = await changeRecord(database, { ...upsert, ...found }, record, input.values)
  return { record: updated, isNew: false, isChanged: updated !== record }
}

/** Throws `no_fields`, or `validation_failed` with the errors of the body and those that only the database knows: all
 *  invalid fields are reported at once (§7). `id`: the record to change; 0 for a new one. */
export async function rejectInvalid(
  database: Database,
  change: RecordChange & Pick<RecordCreation, 'givenTags'>,
  input: InvalidInput,
  id: number,
): Promise<never> {
  requireFields(input)
  const tag = input.assignsTag && (await findNextTag(database, change.resource, change.givenTags))
  const errors = [...input.errors, ...(tag ? tag.errors : [])]
  await requireUnique(database, { ...change, errors }, input.values, id)
  throw new Error('an invalid body has no errors')
}

async function createWithReferences(
  database: Database,
  change: Omit<RecordCreation, keyof RecordInput>,
  { values: inputValues, assignsTag }: RecordInput,
  { references, newStock }: FoundReferences,
): Promise<StoredRecord> {
  const tag = assignsTag ? await findNextTag(database, change.resource, change.givenTags) : undefined
  const values = { ...inputValues, ...tag?.values }
  if (tag && tag.errors.length > 0) await requireUnique(database, { ...change, errors: tag.errors }, values, 0)
  if (references instanceof Problem) {
    await requireUnique(database, change, values, 0)
    throw references
  }
  if (newStock) {
    await requireUnique(database, change, values, 0)
    await requireReferences(database, change.resource, values)
    values[newStock.field] = await createStock(database, change, newStock.values)
  }
  const record = await insertWithHistory(database, change, { ...values, ...references })
  tag?.noteGiven()
  return record
}

/** Checks and writes the values that differ from the record, and adds a history row. If no value differs, nothing is
 *  written, and the same record is returned: otherwise a form that is saved unchanged would stand in the way of an undo
 *  (contract §16). `references` and `newStock`: what the request refers to; `values` has null for these fields. */
export async function changeRecord(
  database: Database,
  change: Omit<RecordChange, 'precondition'> & Partial<FoundReferences>,
  record: StoredRecord,
  values: Values,
): Promise<StoredRecord> {
  const { resource, references = {}, newStock } = change
  const { id } = record
  const isMissing = references instanceof Problem
  const foundIds = isMissing ? {} : references
  const changed = changedValues(record, { ...values, ...foundIds })
  await requireUnique(database, change, changed, id)
  if (isMissing) throw references
  await requireReferences(database, resource, omit(changed, Object.keys(foundIds)))
  if (newStock) changed[newStock.field] = await createStock(database, change, newStock.values)
  return Object.keys(changed).length === 0 ? record : writeChange(database, change, record, changed)
}

/** Writes these values and adds a history row, without checks. */
export function writeChange(
  database: Database,
  { resource, context }: Pick<RecordChange, 'resource' | 'context'>,
  record: StoredRecord,
  changed: Values,
): StoredRecord {
  const { id } = record
  const updated = { ...record, ...changed, updated_at: context.now }
  overwriteRecord(database, resource, updated, changed)
  recordChange(database, context, {
    resource: resource.name,
    recordId: id,
    action: 'update',
    before: Object.fromEntries(Object.keys(changed).map((name) => [name, record[name]!])),
    after: changed,
  })
  return updated
}

/** Returns the values that differ from the record's. */
export function changedValues(record: StoredRecord, values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => record[name] !== value))
}

function omit(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}

/** Writes the changed columns, the time of the change, and the derived columns, without checks and without a history
 *  row. */
export function overwriteRecord(database: Database, resource: Resource, updated: StoredRecord, changed: Values): void {
  const { id, ...members } = updated
  const derived = recomputedColumns(database.engine, resource, members, Object.keys(changed))
  const written = { ...changed, updated_at: members.updated_at!, ...derived }
  const columns = Object.keys(written).map((name) => `${name} = ?`)
  const sql = `update ${resource.name} set ${columns.join(', ')} where id = ?`
  database.runDeferred(sql, [...Object.values(written), id])
}

/** Returns the id of the deleted record. Throws `not_found`, the errors of `check`, and `conflict` with `dependents` if
 *  other records refer to the record. */
export async function deleteRecord(database: Database, deletion: RecordDeletion): Promise<number> {
  const { resource, context } = deletion
  const { record } = await findTarget(database, deletion)
  if (!record) throw noSuchRecord(resource, deletion.key)
  deletion.check?.(record)
  const { id, created_at, updated_at, ...before } = record
  await writeDeletion(database, deletion, id)
  recordChange(database, context, {
    resource: resource.name,
    recordId: id,
    action: 'delete',
    before,
    after: null,
  })
  return id
}

async function writeDeletion(database: Database, { resource, resources }: RecordDeletion, id: number): Promise<void> {
  const references = referencesTo(resource, resources)
  const conditions = references.map(
    ({ from, condition }) => ` and not exists (select 1 from ${from.name} where ${condition})`,
  )
  const sql = `delete from ${resource.name} where id = ?${conditions.join('')} returning id`
  const values = [id, ...references.flatMap(({ fields }) => fields.map(() => id))]
  if (await database.get(sql, values)) return
  const dependents = await countDependents(database, resources, { resource, id })
  throw new Problem('conflict', { members: { details: describeDependents(resource, dependents), dependents } })
}
