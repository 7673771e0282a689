// An export shows one state of the list even if records change between its pages.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { byId, emptyValue, resourceNamed } from '../../src/domain/declarations/resource.ts'
import { openExport } from '../../src/domain/exports/export-stream.ts'
import { readExportRequest } from '../../src/domain/exports/request.ts'
import type { Values } from '../../src/domain/fields/validate.ts'
import { recordOperations } from '../../src/domain/records/operations.ts'
import type { Input } from '../../src/engine/operation.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { type Json, makeTenant, runs, temporaryDirectory, withEngineUrl } from '../support/service.ts'

const environment = { DATA_DIR: temporaryDirectory() }
await makeTenant(environment, 'acme')
const opened = await openDatabases(readConfig(await withEngineUrl(environment)), resources, { workers: 1 })
after(opened.close)
const tenant = await requireTenant(opened.catalog, 'acme')
const engine = opened.startEngine()

type Mutation = Input<typeof recordOperations.mutate>['request']

async function mutate(request: Mutation): Promise<Json> {
  const context = { now: new Date().toISOString(), actor: { apiKeyId: 'k' }, requestId: 'r', changeSet: randomUUID() }
  const { status, body } = await engine.run(tenant, recordOperations.mutate, { context, idempotency: null, request })
  return { status, body: JSON.parse(body) }
}

function valuesOf(resource: string, values: object) {
  const fields = Object.entries(resourceNamed(resources, resource).fields)
  return { ...Object.fromEntries(fields.map(([name, field]) => [name, emptyValue(field)])), ...values }
}

async function create(resource: string, values: object): Promise<Json> {
  return mutate({ action: 'create', resource, values: valuesOf(resource, values), location: '' })
}

async function update(resource: string, id: number, values: Values): Promise<void> {
  const { status } = await mutate({ action: 'update', resource, key: byId(id), values, ifMatch: null })
  assert.equal(status, 200)
}

const [first, second] = [await create('customers', { name: 'One' }), await create('customers', { name: 'Two' })]

/** Exports a list in pages of two records, and returns the lines. Calls `betweenPages` before every page except the
 *  first. */
async function linesOf(query: string, betweenPages = async () => {}): Promise<string[]> {
  const employees = resourceNamed(resources, 'employees')
  const parameters = Object.fromEntries(new URLSearchParams(query))
  const request = readExportRequest(parameters, {
    resource: employees,
    resources,
    now: new Date(),
    canRead: () => true,
  })
  let pages = 0
  const stream = await openExport({ engine, listTimeoutMs: 60_000, pageSize: 2 }, 'employees', request, async () => {
    if (pages++ > 0) await betweenPages()
    return tenant
  })
  const text = (await stream.toArray()).join('')
  return text.split(/\r?\n/).slice(0, -1)
}

const word = fc.constantFrom('ada', 'Ada Ångström', 'bob', 'zoe', null)
const queries = [
  'format=ndjson',
  'format=ndjson&sort=-id',
  'format=ndjson&sort=-name',
  'format=ndjson&sort=name&q=ada',
  'format=ndjson&q=ADA&include=customer',
  'format=csv',
  'format=csv&sort=department&name[contains]=o',
  'format=csv&customer_id=1&sort=-updated_at',
]
const change = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), name: word, customer_id: fc.constantFrom(1, 2) }),
  fc.record({ kind: fc.constant('update' as const), index: fc.nat(), name: word, customer_id: fc.constantFrom(1, 2) }),
  fc.record({ kind: fc.constant('delete' as const), index: fc.nat() }),
  fc.record({ kind: fc.constant('rename' as const), index: fc.nat(), name: fc.constantFrom('One', 'Uno', 'Eins') }),
)

test('an export shows the state at its beginning, even if records are created, changed and deleted between its pages', async () => {
  assert.deepEqual([first.status, second.status], [201, 201])
  const ids: number[] = []
  const add = async (name: string | null, customer_id: number) =>
    ids.push((await create('employees', { customer_id, name, email: 'a@b.c', department: name })).body.id)
  for (const name of ['ada', 'bob', null, 'zoe', 'Ada', 'cleo', 'adalbert', 'bob']) await add(name, 1)

  async function apply(next: typeof change extends fc.Arbitrary<infer Change> ? Change : never): Promise<void> {
    if (next.kind === 'create') return void (await add(next.name, next.customer_id))
    if (next.kind === 'rename') return void (await update('customers', 1 + (next.index % 2), { name: next.name }))
    const id = ids[next.index % ids.length]!
    if (next.kind === 'delete' && ids.length > 6) {
      ids.splice(ids.indexOf(id), 1)
      return void (await mutate({ action: 'delete', resource: 'employees', key: byId(id), ifMatch: null }))
    }
    if (next.kind === 'delete') return update('employees', id, { department: 'x' })
    await update('employees', id, { name: next.name, customer_id: next.customer_id })
  }

  const pages = fc.array(fc.array(change, { maxLength: 3 }), { minLength: 3, maxLength: 4 })
  const isOneState = fc.asyncProperty(fc.constantFrom(...queries), pages, async (query, changes) => {
    const expected = await linesOf(query)
    const remaining = [...changes]
    const lines = await linesOf(query, async () => {
      for (const next of remaining.shift() ?? []) await apply(next)
    })
    assert.deepEqual(lines, expected, query)
  })
  await fc.assert(isOneState, { numRuns: runs(60) })
})
