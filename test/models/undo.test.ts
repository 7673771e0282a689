// Undo against a model: for random histories, undoing a random change set restores what the set changed, or names
// exactly the conflicting records. The model knows the records only from the API's lists, and nothing of how an undo
// works.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { resources } from '../../src/resources/declarations/all.ts'
import type { Field } from '../../src/resources/resource.ts'
import { isFull } from '../support/load.ts'
import { resourceNames } from '../support/resource-names.ts'
import { type Client, type Json, runs, startService } from '../support/service.ts'

const service = await startService()

/** An operation of a bulk request. `id`: ignored by a creation. `body`: ignored by a deletion. */
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

/** `fields`: those that an update names. `id`: the position of the record among the existing ones. */
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

test('the model covers every declared resource, and has every unique field and every reference', () => {
  assert.deepEqual(Object.keys(bodies), resourceNames)
})

test('an undo restores what the change set changed, or names exactly the records in conflict', async () => {
  let [undone, refused] = [0, 0]
  const rounds = fc.array(round, { minLength: 10, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      const client = await service.tenant(`t-${++tenants}`)
      await apply(client, start)
      for (const each of all) {
        const isUndone = await playRound(client, each)
        if (isUndone) undone++
        else if (isUndone === false) refused++
      }
    }),
    { numRuns: runs(isFull ? 300 : 3), endOnFailure: true },
  )
  if (isFull) assert.ok(undone > 100 && refused > 100, `${undone} undone, ${refused} refused`)
})

let tenants = 0

/** Some records of each resource. */
const start: Step[] = [1, 2, 3].flatMap((at): Step[] => [
  { method: 'POST', resource: 'customers', id: 0, body: { name: `C${at}` } },
  { method: 'POST', resource: 'employees', id: 0, body: { customer_id: 1 + (at % 2), email: 'a@b.c' } },
  { method: 'POST', resource: 'hardware', id: 0, body: { employee_id: 1 + (at % 3) } },
])

/** Returns whether the change set was undone; undefined if it contains no change. */
async function playRound(client: Client, { set, later, isUndoneAgain }: Json): Promise<boolean | undefined> {
  const before = await readState(client)
  const changeSet = await apply(client, named(set, before))
  if (changeSet === undefined) return undefined
  const { data } = (await client('GET', `/changes.php?change_set=${changeSet}`)).body
  for (const each of later) await apply(client, named([each], await readState(client), data))
  const now = await readState(client)
  const { after, conflicts, count } = await expected(client, changeSet, before, now)
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

/** Applies the changes as one change set. Returns its id; undefined if all changes were refused. */
async function apply(client: Client, steps: Step[]): Promise<string | undefined> {
  const { status, headers, text } = await client('POST', '/bulk.php', { mode: 'each', operations: steps })
  assert.equal(status, 200, text)
  return headers['change-set']
}

/** The steps with the ids of their records, which earlier steps may have created. `touched`: the changes whose records
 *  half of the steps use. */
function named(steps: Json[], state: State, touched: Json[] = []): Step[] {
  return steps.map(({ resource, method, id, body, fields }) => {
    const again = touched.filter((each) => each.resource === resource && fields % 2).map((each) => each.id)
    const ids = again.length > 0 ? again : [...state.get(resource)!.keys()]
    const next = Math.max(0, ...ids) + 1
    const some = Object.fromEntries(Object.entries(body).filter((_, index) => fields & (1 << index)))
    return {
      resource,
      method,
      id: [...ids, next, next + 1][id % (ids.length + 2)]!,
      body: method === 'PUT' ? some : body,
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

type Touched = { resource: string; id: number; fields: Set<string>; hasChanged: boolean; isMoot: boolean }

/** By the rules of the contract: the state after the undo and the number of records it restores, or what prevents
 *  it. */
async function expected(client: Client, changeSet: string, before: State, now: State) {
  const touched = await readTouched(client, changeSet, before, now)
  const after: State = new Map([...now].map(([name, records]) => [name, new Map(records)]))
  const back = touched.filter(({ isMoot }) => !isMoot)
  for (const { resource, id, fields } of back) {
    const [old, present] = [before.get(resource)!.get(id), now.get(resource)!.get(id)]
    const restored = old && [...fields].map((name) => [name, old[name]])
    if (!old) after.get(resource)!.delete(id)
    else after.get(resource)!.set(id, present ? { ...present, ...Object.fromEntries(restored!) } : old)
  }
  const ordered = new Map([...after].map(([name, records]) => [name, new Map([...records].sort(([a], [b]) => a - b))]))
  const isRestored = (resource: string, id: number, field: string) =>
    back.some((each) => each.resource === resource && each.id === id && each.fields.has(field))
  const found = new Set<string>()
  for (const { resource, id, hasChanged } of touched) if (hasChanged) found.add(`${resource} ${id} changed_since`)
  for (const { name, fields } of resources) {
    for (const [field, declared] of Object.entries<Field>(fields)) {
      for (const [id, record] of after.get(name)!) {
        if (record[field] === null) continue
        if (declared.kind === 'reference' && !after.get(declared.to)!.has(record[field])) {
          const isOwn = isRestored(name, id, field)
          found.add(isOwn ? `${name} ${id} reference_gone` : `${declared.to} ${record[field]} has_dependents`)
        }
        if (!declared.unique || !isRestored(name, id, field)) continue
        const same = [...after.get(name)!.values()].filter((each) => each[field] === record[field])
        if (same.length > 1) found.add(`${name} ${id} duplicate`)
      }
    }
  }
  const count = back.filter(({ resource, id }) => before.get(resource)!.has(id) || now.get(resource)!.has(id)).length
  return { after: ordered, conflicts: inOrder(found), count }
}

/** The records that a set touched. `isMoot`: the record has been deleted or created again since, so the undo cannot
 *  affect it. */
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
    const own = changes.filter(({ change_set }) => change_set === changeSet)
    if (own.length === 0) return []
    const { resource, id, action } = own.at(-1)
    const hasChanged = changes.at(-1).change_set !== changeSet
    const [existed, exists] = [before.get(resource)!.has(id), now.get(resource)!.has(id)]
    const isMoot = action === 'delete' ? existed && exists : !exists
    const fields = new Set(own.flatMap((each: Json) => Object.keys(each.before ?? {})))
    return [{ resource, id, fields, hasChanged, isMoot }]
  })
}

const reasons = ['changed_since', 'has_dependents', 'reference_gone', 'duplicate']

function inOrder(found: Set<string>): Json[] {
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
