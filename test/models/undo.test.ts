// Compares undo with a model: in random histories, undoing a random change set restores the earlier values or lists
// exactly the conflicting records. The model reads records and changes only through the API.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { resources } from '../../src/domain/declarations/all.ts'
import type { Field } from '../../src/domain/declarations/resource.ts'
import { isFullRun } from '../support/faults/load.ts'
import { resourceNames } from '../support/resource-names.ts'
import { type Client, type Json, runs, startService } from '../support/service.ts'

const service = await startService()

/** An operation of a bulk request. A creation ignores `id`, and a deletion ignores `body`. */
type Step = { method: 'POST' | 'PUT' | 'DELETE'; resource: string; id: number; body: object }

/** Every record by resource and id, without updated_at. */
type State = Map<string, Map<number, Json>>

const unique = fc.constantFrom(null, 'x', 'y', 'z')
const text = fc.constantFrom(null, 'a', 'ü "\\ 😀')
const reference = fc.integer({ min: 1, max: 9 })
const bodies = {
  customers: fc.record({ name: fc.constantFrom('A', 'B'), city: text, external_id: unique, is_active: fc.boolean() }),
  employees: fc.record({ email: fc.constantFrom('a@b.c', 'd@e.f'), customer_id: reference, external_id: unique }),
  hardware: fc.record({ employee_id: reference, asset_tag: unique, external_id: unique, purchase_cost: fc.nat(2) }),
} as const
type Name = keyof typeof bodies

/** `id`: selects one of the existing records. `fields`: a bit mask of the fields that an update changes. */
const step = fc.constantFrom<Name[]>('customers', 'employees', 'hardware').chain((resource) =>
  fc.record({
    resource: fc.constant(resource),
    method: fc.constantFrom<Step['method'][]>('POST', 'PUT', 'PUT', 'DELETE'),
    id: fc.nat(20),
    body: bodies[resource] as fc.Arbitrary<object>,
    fields: fc.integer({ min: 1, max: 15 }),
  }),
)

const round = fc.record({
  set: fc.array(step, { minLength: 1, maxLength: 10 }),
  later: fc.array(step, { maxLength: 6 }),
  isUndoneAgain: fc.boolean(),
})

test('the model of undo covers every declared resource', () => {
  assert.deepEqual(Object.keys(bodies), resourceNames)
})

test('an undo restores the records of the change set, or names exactly the conflicting records', async () => {
  let [undone, refused] = [0, 0]
  const rounds = fc.array(round, { minLength: 10, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(rounds, async (roundsOfTenant) => {
      const client = await service.tenant(`t-${++tenantCount}`)
      await apply(client, start)
      for (const next of roundsOfTenant) {
        const isUndone = await runRound(client, next)
        if (isUndone) undone++
        else if (isUndone === false) refused++
      }
    }),
    { numRuns: runs(isFullRun ? 300 : 3), endOnFailure: true },
  )
  if (isFullRun) assert.ok(undone > 100 && refused > 100, `${undone} undone, ${refused} refused`)
})

let tenantCount = 0

/** Creates three records of each resource. */
const start: Step[] = [1, 2, 3].flatMap((number): Step[] => [
  { method: 'POST', resource: 'customers', id: 0, body: { name: `C${number}` } },
  { method: 'POST', resource: 'employees', id: 0, body: { customer_id: 1 + (number % 2), email: 'a@b.c' } },
  { method: 'POST', resource: 'hardware', id: 0, body: { employee_id: 1 + (number % 3) } },
])

/** Applies a change set and later changes, and tries to undo the change set. Returns whether the undo succeeded, or
 *  undefined if all changes of the change set were refused. */
async function runRound(client: Client, { set, later, isUndoneAgain }: Json): Promise<boolean | undefined> {
  const before = await readState(client)
  const changeSet = await apply(client, withIds(set, before))
  if (changeSet === undefined) return undefined
  const { data } = (await client('GET', `/changes.php?change_set=${changeSet}`)).body
  for (const laterStep of later) await apply(client, withIds([laterStep], await readState(client), data))
  const now = await readState(client)
  const { after, conflicts, count } = await expectedUndo(client, changeSet, before, now)
  for (const dry_run of [true, false]) {
    const { status, body } = await client('POST', '/undo.php', { change_set: changeSet, dry_run })
    if (conflicts.length > 0) {
      assert.deepEqual([status, body.records], [409, conflicts])
      assert.deepEqual(await readState(client), now)
      continue
    }
    assert.deepEqual([status, body.undone], [200, count])
    assert.deepEqual(await readState(client), dry_run ? now : after)
    assert.equal(body.change_set === null, dry_run || count === 0)
    if (isUndoneAgain && body.change_set) {
      assert.equal((await client('POST', '/undo.php', { change_set: body.change_set })).status, 200)
      assert.deepEqual(await readState(client), now)
    }
  }
  return conflicts.length === 0
}

/** Applies the changes as one change set. Returns the change set's id, or undefined if all changes were refused. */
async function apply(client: Client, steps: Step[]): Promise<string | undefined> {
  const { status, headers, text } = await client('POST', '/bulk.php', { mode: 'each', operations: steps })
  assert.equal(status, 200, text)
  return headers['change-set']
}

/** Replaces the position in each step with a record's id. About half of the steps select from the records that the
 *  changes `touched` changed, if there are any. */
function withIds(steps: Json[], state: State, touched: Json[] = []): Step[] {
  return steps.map(({ resource, method, id, body, fields }) => {
    const touchedIds = touched.filter((change) => change.resource === resource && fields % 2).map((change) => change.id)
    const ids = touchedIds.length > 0 ? touchedIds : [...state.get(resource)!.keys()]
    const next = Math.max(0, ...ids) + 1
    const selected = Object.fromEntries(Object.entries(body).filter((_, index) => fields & (1 << index)))
    return {
      resource,
      method,
      id: [...ids, next, next + 1][id % (ids.length + 2)]!,
      body: method === 'PUT' ? selected : body,
    }
  })
}

async function readState(client: Client): Promise<State> {
  const lists = await Promise.all(resourceNames.map((name) => client('GET', `/${name}.php?limit=200`)))
  return new Map(
    lists.map(({ body }, index) => [
      resourceNames[index]!,
      new Map(body.data.map(({ updated_at, ...record }: Json) => [record.id, record])),
    ]),
  )
}

type Touched = { resource: string; id: number; fields: Set<string>; hasChanged: boolean; isUnaffected: boolean }

/** Returns the result that the contract prescribes for the undo: the state afterwards, the conflicts that prevent the
 *  undo, and the number of restored records. */
async function expectedUndo(client: Client, changeSet: string, before: State, now: State) {
  const touched = await readTouched(client, changeSet, before, now)
  const after: State = new Map([...now].map(([name, records]) => [name, new Map(records)]))
  const restorable = touched.filter(({ isUnaffected }) => !isUnaffected)
  for (const { resource, id, fields } of restorable) {
    const [old, present] = [before.get(resource)!.get(id), now.get(resource)!.get(id)]
    const restored = old && [...fields].map((name) => [name, old[name]])
    if (!old) after.get(resource)!.delete(id)
    else after.get(resource)!.set(id, present ? { ...present, ...Object.fromEntries(restored!) } : old)
  }
  const ordered = new Map([...after].map(([name, records]) => [name, new Map([...records].sort(([a], [b]) => a - b))]))
  const isRestored = (resource: string, id: number, field: string) =>
    restorable.some((record) => record.resource === resource && record.id === id && record.fields.has(field))
  const found = new Set<string>()
  for (const { resource, id, hasChanged } of touched) if (hasChanged) found.add(`${resource} ${id} changed_since`)
  for (const { name, fields } of resources) {
    for (const [field, declared] of Object.entries<Field>(fields)) {
      for (const [id, record] of after.get(name)!) {
        if (record[field] === null) continue
        if (declared.kind === 'reference' && !after.get(declared.to)!.has(record[field])) {
          const isOfSet = isRestored(name, id, field)
          found.add(isOfSet ? `${name} ${id} reference_gone` : `${declared.to} ${record[field]} has_dependents`)
        }
        if (!declared.unique || !isRestored(name, id, field)) continue
        const same = [...after.get(name)!.values()].filter((other) => other[field] === record[field])
        if (same.length > 1) found.add(`${name} ${id} duplicate`)
      }
    }
  }
  const count = restorable.filter(
    ({ resource, id }) => before.get(resource)!.has(id) || now.get(resource)!.has(id),
  ).length
  return { after: ordered, conflicts: sortConflicts(found), count }
}

/** Returns the records that a change set changed. `isUnaffected`: the undo does not change the record, because the
 *  record was deleted or created again after the change set. */
async function readTouched(client: Client, changeSet: string, before: State, now: State): Promise<Touched[]> {
  const rows: Json[] = []
  for (let since = 0; ; ) {
    const { data, page } = (await client('GET', `/changes.php?limit=200&since=${since}`)).body
    rows.push(...data)
    since = page.since
    if (!page.has_more) break
  }
  const groups = Map.groupBy(rows, ({ resource, id }) => `${resource} ${id}`)
  return [...groups.values()].flatMap((changes): Touched[] => {
    const changesOfSet = changes.filter(({ change_set }) => change_set === changeSet)
    if (changesOfSet.length === 0) return []
    const { resource, id, action } = changesOfSet.at(-1)
    const hasChanged = changes.at(-1).change_set !== changeSet
    const [existed, exists] = [before.get(resource)!.has(id), now.get(resource)!.has(id)]
    const isUnaffected = action === 'delete' ? existed && exists : !exists
    const fields = new Set(changesOfSet.flatMap((change: Json) => Object.keys(change.before ?? {})))
    return [{ resource, id, fields, hasChanged, isUnaffected }]
  })
}

const reasons = ['changed_since', 'has_dependents', 'reference_gone', 'duplicate']

/** Parses conflicts in the form `resource id reason`, and sorts them as the service does. */
function sortConflicts(found: Set<string>): Json[] {
  return [...found]
    .map((text) => text.split(' ') as [string, string, string])
    .map(([resource, id, reason]) => ({ resource, id: Number(id), reason }))
    .sort(
      (a, b) =>
        resourceNames.indexOf(a.resource) - resourceNames.indexOf(b.resource) ||
        a.id - b.id ||
        reasons.indexOf(a.reason) - reasons.indexOf(b.reason),
    )
}
