// The plan for undoing a change set: a step for each record that the set changed. The plan contains no values, so it
// takes about 200 bytes of memory per record, whatever the record's size.

import { type Database, limitClause } from '../../../engine/database/database.ts'
import { unpaddedPlaceholders } from '../../../engine/database/value-list.ts'
import type { Pause } from '../../../engine/operation.ts'
import { invalidRequest } from '../../../problem.ts'
import { withConfiguration } from '../../declarations/configuration.ts'
import { emptyValue, type Resource, type Resources } from '../../declarations/resource.ts'
import type { Values } from '../../fields/validate.ts'
import type { Change } from '../../records/changes.ts'

/** `kind`: the operation that restores the state that the record had before the change set. `none` if the set both
 *  created and deleted the record, or if the record has been deleted or recreated after the set. `seqs`: the sequence
 *  numbers of the set's changes to this record, in order. */
type Step = { kind: 'recreate' | 'update' | 'delete' | 'none'; seqs: number[] }

/** The steps for a resource's records, keyed by record id. */
export type UndoSteps = ReadonlyMap<number, Step>

/** The steps, keyed by resource (in declaration order) and by record id. */
export type UndoPlan = ReadonlyMap<Resource, Map<number, Step>>

/** The maximum number of changes in one undo. An undo delays the tenant's other changes until it ends, which takes
 *  several seconds for this many changes (docs/decisions/0038). */
const maxChanges = 250_000

const pageSize = 1000

/** How many records one statement reads or writes. A batch takes a few milliseconds. */
export const batchSize = 100

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
    if (count > limit) throw tooLarge()
    for (const row of rows) addChange(steps.get(row.resource)!, row)
    if (rows.length < pageSize) return toPlan(resources, steps)
    last = rows.at(-1)!.seq
    await pause()
  }
}

type PlannedChange = { seq: number; resource: string; record_id: number; action: Change['action'] }

function tooLarge() {
  return invalidRequest(`The change set has too many changes to undo; the maximum is ${maxChanges}.`)
}

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
  const restored = new Map(ids.map((id) => [id, steps.get(id)!.kind === 'recreate' ? emptyRecord(resource) : {}]))
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

/** A field that was added after a record was deleted is restored with its default value. */
function emptyRecord({ fields }: Resource): Values {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, emptyValue(field)]))
}
