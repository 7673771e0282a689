// The plan for undoing a change set, and how it is carried out. The plan has a step for each record that the set
// changed. It contains no values, so it takes about 200 bytes of memory per record, whatever the record's size.

import { type Database, limitClause, type Value } from '../../../engine/database/database.ts'
import { insertRows, unpaddedPlaceholders } from '../../../engine/database/statements.ts'
import type { Pause } from '../../../engine/operation.ts'
import { invalidRequest } from '../../../problem.ts'
import { withConfiguration } from '../../declarations/configuration.ts'
import { emptyValues, type Resource, type Resources } from '../../declarations/resource.ts'
import type { Values } from '../../fields/validate.ts'
import { type Change, type ChangeContext, findRecordsByIds, recordChanges } from '../../records/changes.ts'
import { changeRecord, writeChange } from '../../records/records.ts'
import { derivedValues, indexRecreated } from '../../schema/derived.ts'

/** `kind`: the operation that restores the state that the record had before the change set. `none` if the set both
 *  created and deleted the record, or if the record has been deleted or recreated after the set. `seqs`: the sequence
 *  numbers of the set's changes to this record, in order. */
type Step = { kind: 'recreate' | 'update' | 'delete' | 'none'; seqs: number[] }

/** The steps for a resource's records, keyed by record id. */
export type UndoSteps = ReadonlyMap<number, Step>

/** The steps, keyed by resource (in declaration order) and by record id. */
export type UndoPlan = ReadonlyMap<Resource, Map<number, Step>>

/** A unique value that the undo takes from one record and restores to another. The value must be cleared first. */
export type ValueToClear = { resource: Resource; id: number; field: string }

/** The maximum number of changes in one undo. An undo delays the tenant's other changes until it ends, which takes
 *  several seconds for this many changes (docs/decisions/0038). */
const maxChanges = 250_000

const pageSize = 1000

/** How many records one statement reads or writes. A batch takes a few milliseconds. */
const batchSize = 100

/** Reads the plan for undoing a change set. Returns undefined if there is no such set. Throws `invalid_request` if the
 *  set is too large. */
export async function readPlan(
  database: Database,
  resources: Resources,
  changeSet: string,
  pause: Pause,
): Promise<UndoPlan | undefined> {
  const plan = await collectSteps(database, resources, { changeSet, above: 0, limit: maxChanges }, pause)
  return plan.size === 0 ? undefined : plan
}

/** Reads the plan for undoing every change above a sequence number. The number of changes is not limited. */
export function readPlanAbove(database: Database, resources: Resources, seq: number): Promise<UndoPlan> {
  return collectSteps(database, resources, { changeSet: null, above: seq, limit: Infinity }, () => {})
}

async function collectSteps(
  database: Database,
  declared: Resources,
  { changeSet, above, limit }: { changeSet: string | null; above: number; limit: number },
  pause: Pause,
): Promise<UndoPlan> {
  const resources = withConfiguration(declared)
  const steps = new Map(resources.map((resource) => [resource.name, new Map<number, Step>()]))
  const ofSet =
    changeSet === null ? { condition: '', values: [] } : { condition: 'change_set = ? and ', values: [changeSet] }
  const sql = `select seq, resource, record_id, action from changes
    where ${ofSet.condition}seq > ? order by seq ${limitClause}`
  for (let [last, count] = [above, 0]; ; ) {
    const rows = await database.all<PlannedChange>(sql, [...ofSet.values, last, pageSize])
    count += rows.length
    if (count > limit)
      throw invalidRequest(`The change set has too many changes to undo; the maximum is ${maxChanges}.`)
    for (const row of rows) addChange(steps.get(row.resource)!, row)
    if (rows.length < pageSize) return toPlan(resources, steps)
    last = rows.at(-1)!.seq
    await pause()
  }
}

type PlannedChange = { seq: number; resource: string; record_id: number; action: Change['action'] }

function addChange(steps: Map<number, Step>, { seq, record_id: id, action }: PlannedChange): void {
  const step = steps.get(id)
  if (!step) steps.set(id, { kind: inverse[action], seqs: [seq] })
  else {
    step.kind = followedBy(step.kind, action)
    step.seqs.push(seq)
  }
}

const inverse = { create: 'delete', update: 'update', delete: 'recreate' } as const

function followedBy(kind: Step['kind'], action: Change['action']): Step['kind'] {
  const existedBefore = kind === 'update' || kind === 'recreate'
  if (action === 'delete') return existedBefore ? 'recreate' : 'none'
  return existedBefore ? 'update' : 'delete'
}

function toPlan(resources: Resources, steps: ReadonlyMap<string, Map<number, Step>>): UndoPlan {
  return new Map(
    resources.map((resource) => [resource, steps.get(resource.name)!] as const).filter(([, { size }]) => size),
  )
}

/** The records with steps of these kinds, in batches. */
export function* batchesOf(steps: UndoSteps, ...kinds: Step['kind'][]): Generator<number[]> {
  let batch: number[] = []
  for (const [id, { kind }] of steps) {
    if (!kinds.includes(kind)) continue
    if (batch.push(id) < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** For each record id, returns the values before the change set. If the set deleted the record, all fields are
 *  returned; otherwise only the fields that the set changed. */
export async function previousValues(
  database: Database,
  resource: Resource,
  steps: UndoSteps,
  ids: readonly number[],
): Promise<Map<number, Values>> {
  // A field that was added after a record was deleted is restored with its default value.
  const restored = new Map(
    ids.map((id) => [id, steps.get(id)!.kind === 'recreate' ? { ...emptyValues(resource) } : {}]),
  )
  const restoredFields = new Map(ids.map((id) => [id, new Set<string>()]))
  const seqs = ids.flatMap((id) => steps.get(id)!.seqs)
  for (let start = 0; start < seqs.length; start += pageSize) {
    const page = seqs.slice(start, start + pageSize)
    const rows = await database.all<{ record_id: number; before: string }>(
      `select record_id, before from changes where seq in (${unpaddedPlaceholders(page)}) and before is not null order by seq`,
      page,
    )
    for (const { record_id: id, before } of rows) {
      const values: Values = JSON.parse(before)
      for (const [name, value] of Object.entries(values)) {
        if (!(name in resource.fields) || restoredFields.get(id)!.has(name)) continue // the first change has the oldest value
        restoredFields.get(id)!.add(name)
        restored.get(id)![name] = value
      }
    }
  }
  return restored
}

type Undo = { database: Database; context: ChangeContext; pause: Pause }

/** Carries out a plan that has no conflicts, in an order that keeps every change valid. Unique values are cleared
 *  before they are restored to other records. Records are recreated before other records refer to them. */
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
  const values = [...records.values()].map(({ id, created_at, updated_at, ...fields }) => [id, fields] as const)
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
