// Carries out the plan of an undo, which has no conflicts. The history stays a sequence of changes each of which is valid where it
// stands: values are cleared before other records get them back, references exist before they are used.

import type { Database, Value } from '../../database/database.ts'
import { insertRows } from '../../database/insert-rows.ts'
import { type Change, type ChangeContext, recordChanges } from '../records/changes.ts'
import { derivedValues } from '../records/derived-columns.ts'
import { changeRecord } from '../records/records.ts'
import { readRecords } from '../records/target.ts'
import { columns, type Resource } from '../resource.ts'
import type { Values } from '../validate.ts'
import type { Release } from './conflicts.ts'
import { batchesOf, type Pause, type Plan, places, previousValues, type Step } from './plan.ts'

type Undo = { database: Database; context: ChangeContext; pause: Pause }

export async function revert(undo: Undo, plan: Plan, releases: readonly Release[]): Promise<void> {
  for (const { resource, id, field } of releases) await update(undo, resource, new Map([[id, { [field]: null }]]))
  for (const [resource, steps] of plan) {
    for (const ids of batchesOf(steps, 'recreate')) await recreate(undo, resource, steps, ids)
  }
  for (const [resource, steps] of plan) {
    for (const ids of batchesOf(steps, 'update'))
      await update(undo, resource, await previousValues(undo.database, resource, steps, ids))
  }
  for (const [resource, steps] of [...plan].toReversed()) {
    for (const ids of batchesOf(steps, 'delete')) await remove(undo, resource, ids)
  }
}

/** One statement for the batch, so that its records may refer to each other. */
async function recreate(
  { database, context, pause }: Undo,
  resource: Resource,
  steps: ReadonlyMap<number, Step>,
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
  await recordChanges(database, context, changesOf(resource, 'create', values))
  await pause()
}

/** When the records were first created: what their history begins with. */
async function creationTimes(database: Database, { name }: Resource, ids: number[]): Promise<Map<number, string>> {
  const rows = await database.all(
    `select record_id, at from changes where seq in (
       select min(seq) from changes where resource = ? and record_id in (${places(ids)}) group by record_id)`,
    [name, ...ids],
  )
  return new Map(rows.map(({ record_id: id, at }) => [id as number, at as string]))
}

async function update(
  { database, context, pause }: Undo,
  resource: Resource,
  values: ReadonlyMap<number, Values>,
): Promise<void> {
  const records = await readRecords(database, resource, [...values.keys()])
  for (const record of records) await changeRecord(database, { resource, context }, record, values.get(record.id)!)
  await pause()
}

async function remove({ database, context, pause }: Undo, resource: Resource, ids: number[]): Promise<void> {
  const records = await readRecords(database, resource, ids)
  await database.run(`delete from ${resource.name} where id in (${places(ids)})`, ids)
  const fields = columns(resource).filter((name) => name in resource.fields)
  const values = records.map((record) => {
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
