// Executes an undo plan that has no conflicts, in an order that keeps every change valid. Unique values are cleared
// before they are restored to other records. Records are recreated before other records refer to them.

import type { Database, Value } from '../../../engine/database/database.ts'
import { insertRows } from '../../../engine/database/insert-rows.ts'
import { unpaddedPlaceholders } from '../../../engine/database/value-list.ts'
import type { Pause } from '../../../engine/operation.ts'
import { columns, type Resource } from '../../declarations/resource.ts'
import type { Values } from '../../fields/validate.ts'
import { type Change, type ChangeContext, recordChanges } from '../../records/changes.ts'
import { derivedValues } from '../../records/derived-columns.ts'
import { findRecordsByIds } from '../../records/find-by-ids.ts'
import { changeRecord, writeChange } from '../../records/records.ts'
import { indexRecreated } from '../../schema/deferred-indexes.ts'
import type { ValueToClear } from './conflicts.ts'
import { batchesOf, previousValues, type UndoPlan, type UndoSteps } from './plan.ts'

type Undo = { database: Database; context: ChangeContext; pause: Pause }

export async function revert(undo: Undo, plan: UndoPlan, valuesToClear: readonly ValueToClear[]): Promise<void> {
  for (const { resource, id, field } of valuesToClear)
    await updateRecords(undo, resource, new Map([[id, { [field]: null }]]))
  for (const [resource, steps] of plan) {
    for (const ids of batchesOf(steps, 'recreate')) await recreateRecords(undo, resource, steps, ids)
  }
  for (const [resource, steps] of plan) {
    for (const ids of batchesOf(steps, 'update'))
      await updateRecords(undo, resource, await previousValues(undo.database, resource, steps, ids))
  }
  for (const [resource, steps] of [...plan].toReversed()) {
    for (const ids of batchesOf(steps, 'delete')) await deleteRecords(undo, resource, ids)
  }
}

/** Inserts the batch with one statement, so that its records may refer to each other. */
async function recreateRecords(
  { database, context, pause }: Undo,
  resource: Resource,
  steps: UndoSteps,
  ids: number[],
): Promise<void> {
  const { engine } = database
  const createdAt = await creationTimes(database, resource, ids)
  const values = await previousValues(database, resource, steps, ids)
  const rows = [...values].map(([id, fields]): Record<string, Value> => {
    const members = { ...fields, created_at: createdAt.get(id)!, updated_at: context.now }
    return { id, ...members, ...derivedValues(engine, resource, members) }
  })
  insertRows(database, resource.name, rows)
  await indexRecreated(database, resource, ids)
  await recordChanges(database, context, changesOf(resource, 'create', values))
  await pause()
}

/** When the records were first created, by id: the times of the first changes in their history. */
async function creationTimes(database: Database, { name }: Resource, ids: number[]): Promise<Map<number, string>> {
  const rows = await database.all<{ record_id: number; at: string }>(
    `select record_id, at from changes where seq in (
       select min(seq) from changes where resource = ? and record_id in (${unpaddedPlaceholders(ids)}) group by record_id)`,
    [name, ...ids],
  )
  return new Map(rows.map(({ record_id: id, at }) => [id, at]))
}

async function updateRecords(
  { database, context, pause }: Undo,
  resource: Resource,
  values: ReadonlyMap<number, Values>,
): Promise<void> {
  const records = await findRecordsByIds(database, resource, [...values.keys()])
  const change = { resource, context }
  for (const record of records.values()) {
    const changed = await changeRecord(database, change, record, values.get(record.id)!)
    // A set that changed a value and changed it back is undone, too: the row in the history says so.
    if (changed === record) writeChange(database, change, record, {})
  }
  await pause()
}

async function deleteRecords({ database, context, pause }: Undo, resource: Resource, ids: number[]): Promise<void> {
  const records = await findRecordsByIds(database, resource, ids)
  await database.run(`delete from ${resource.name} where id in (${unpaddedPlaceholders(ids)})`, ids)
  const fields = columns(resource).filter((name) => name in resource.fields)
  const values = [...records.values()].map((record) => {
    return [record.id, Object.fromEntries(fields.map((name) => [name, record[name]!]))] as const
  })
  await recordChanges(database, context, changesOf(resource, 'delete', new Map(values)))
  await pause()
}

function changesOf(
  { name: resource }: Resource,
  action: 'create' | 'delete',
  values: ReadonlyMap<number, Values>,
): Change[] {
  return [...values].map(([recordId, fields]) => {
    const [before, after] = action === 'create' ? [null, fields] : [fields, null]
    return { resource, recordId, action, before, after }
  })
}
