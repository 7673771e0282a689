// What `mutation`, `unboundedMutation` and `pipelinedMutation` guarantee, shown with operations that make every mistake.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Endpoint } from '../../src/api/endpoint.ts'
import { endpointsOf } from '../../src/api/endpoints/all.ts'
import { object } from '../../src/api/openapi/schemas/kinds.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { type Carelessness, carelessOperations, productOf } from '../support/api/careless-operations.ts'
import { assertRefused } from '../support/api/shared-errors.ts'
import { type Client, engine, type Response, startService } from '../support/service.ts'

function carelessEndpoint(
  path: Endpoint['path'],
  operation: Extract<Endpoint, { operation: object }>['operation'],
): Endpoint {
  return {
    method: 'POST',
    path,
    scope: { resource: 'customers', action: 'create' },
    operation,
    hasBody: true,
    read: (_, body) => body() as Carelessness,
    docs: () => ({
      id: operation.name,
      tag: { name: 'careless', description: 'Endpoints used only in this test.' },
      summary: 'Create a customer carelessly',
      description: 'Writes first, and decides afterwards.',
      body: { schema: object({ name: { type: 'string' }, ending: { type: 'string' } }), examples: {} },
      responses: { 200: { description: 'The id.', schema: object({ created: { type: 'integer' } }) } },
      errors: ['invalid_json', 'payload_too_large', 'invalid_customer', 'precondition_failed'],
      exchanges: [],
    }),
  }
}

const plain = '/careless.php'
const unbounded = '/unbounded.php'
const pipelined = '/pipelined.php'
const endpoints = [
  ...endpointsOf(resources),
  carelessEndpoint(plain, carelessOperations.careless),
  carelessEndpoint(unbounded, carelessOperations.carelessAndUnbounded),
  carelessEndpoint(pipelined, carelessOperations.carelessAndPipelined),
]
const { tenant } = await startService({}, { endpoints, makeProduct: productOf })

/** Returns the names of the tenant's customers, and the names in its history. Checks that the history has no gaps. */
async function namesOf(client: Client): Promise<{ customers: string[]; history: string[] }> {
  const customers = (await client('GET', '/customers.php?limit=100')).body.data
  const { data: changes } = (await client('GET', '/changes.php?limit=100')).body
  assert.deepEqual(
    changes.map(({ seq }: { seq: number }) => seq),
    changes.map((_: unknown, index: number) => index + 1),
  )
  return {
    customers: customers.map(({ name }: { name: string }) => name),
    history: changes.map(({ after }: { after: { name: string } }) => after.name),
  }
}

async function assertNames(client: Client, names: string[]): Promise<void> {
  assert.deepEqual(await namesOf(client), { customers: names, history: names })
}

test('an operation that ignores the Idempotency-Key still runs once, even for simultaneous requests', async () => {
  const acme = await tenant('once')
  for (const path of [plain, unbounded]) {
    const headers = { 'idempotency-key': randomUUID() }
    const send = () => acme('POST', path, { name: path, ending: 'succeed' }, headers)
    const responses = [...(await Promise.all([send(), send()])), await send()]
    assert.deepEqual(
      responses.map(({ status, text }) => [status, text]),
      responses.map(() => [200, responses[0]!.text]),
    )
    assert.equal(responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 2)
  }
  await assertNames(acme, [plain, unbounded])
})

test('whatever an operation wrote before it refused the request is rolled back, and the refusal is stored', async () => {
  const acme = await tenant('refused')
  for (const ending of ['refuse', 'respond']) {
    const headers = { 'idempotency-key': randomUUID() }
    const responses = []
    for (let count = 0; count < 3; count++) responses.push(await acme('POST', plain, { name: ending, ending }, headers))
    for (const response of responses) {
      assertRefused(response, 'invalid_customer')
      assert.equal(response.headers['change-set'], undefined)
    }
    assert.deepEqual(
      responses.map(({ headers }) => headers['idempotent-replayed']),
      [undefined, 'true', 'true'],
    )
  }
  assertRefused(await acme('POST', plain, { name: 'No key', ending: 'refuse' }), 'invalid_customer')
  await assertNames(acme, [])
  const created = await acme('POST', '/customers.php', { name: 'Next' })
  assert.equal(created.body.id, 1)
})

test('a refusal that is not stored is rolled back too, and a retry with the same key runs the operation', async () => {
  const acme = await tenant('retried')
  const headers = { 'idempotency-key': randomUUID() }
  assertRefused(await acme('POST', plain, { name: 'Retried', ending: 'forget' }, headers), 'precondition_failed')
  await assertNames(acme, [])
  const retry = await acme('POST', plain, { name: 'Retried', ending: 'succeed' }, headers)
  assert.deepEqual([retry.status, retry.headers['idempotent-replayed']], [200, undefined])
  await assertNames(acme, ['Retried'])
})

test('an operation that refuses a request although one of its statements fails changes nothing and stores nothing', async () => {
  const acme = await tenant('broken')
  for (const path of [plain, unbounded, pipelined]) {
    const headers = { 'idempotency-key': randomUUID() }
    assertRefused(await acme('POST', path, { name: 'Broken', ending: 'break' }, headers), 'internal_error')
    const retry = await acme('POST', path, { name: path, ending: 'succeed' }, headers)
    assert.deepEqual([retry.status, retry.headers['idempotent-replayed']], [200, undefined])
  }
  await assertNames(acme, [plain, unbounded, pipelined])
})

test('an operation without a savepoint that refuses a request after its first write fails, and changes and stores nothing', async () => {
  const acme = await tenant('unprotected')
  for (const path of [unbounded, pipelined])
    for (const ending of ['refuse', 'respond', 'forget']) {
      const headers = { 'idempotency-key': randomUUID() }
      for (let count = 0; count < 2; count++)
        assertRefused(await acme('POST', path, { name: ending, ending }, headers), 'internal_error')
      assertRefused(await acme('POST', path, { name: ending, ending }), 'internal_error')
    }
  await assertNames(acme, [])
})

test('a pipelined operation that ignores the Idempotency-Key takes effect once: SQLite replays its repetitions, PostgreSQL fails them', async () => {
  const acme = await tenant('replayed')
  const headers = { 'idempotency-key': randomUUID() }
  const send = () => acme('POST', pipelined, { name: 'Once', ending: 'succeed' }, headers)
  const responses = [...(await Promise.all([send(), send()])), await send()]
  const [originals, repeated] = [responses.filter(isOriginal), responses.filter((response) => !isOriginal(response))]
  assert.deepEqual([originals.length, repeated.length], [1, 2])
  for (const response of repeated) {
    if (engine === 'postgres') assertRefused(response, 'internal_error')
    else assert.deepEqual([response.status, response.body], [200, originals[0]!.body])
  }
  await assertNames(acme, ['Once'])
})

test('concurrent changes succeed exactly once while careless operations are rolled back', async () => {
  const acme = await tenant('concurrent')
  const careless = [
    { path: plain, ending: 'refuse' },
    { path: plain, ending: 'respond' },
    { path: plain, ending: 'break' },
    { path: pipelined, ending: 'refuse' },
    { path: unbounded, ending: 'refuse' },
  ]
  const requests = Array.from({ length: 40 }, (_, index) => {
    const { path, ending } = careless[Math.floor(index / 5) % careless.length]!
    if (index % 5 === 2) return acme('POST', path, { name: 'Careless', ending }, { 'idempotency-key': randomUUID() })
    return acme('POST', '/customers.php', { name: `Good ${index}` })
  })
  const responses = await Promise.all(requests)
  const created = responses.filter(({ status }) => status === 201)
  assert.equal(created.length, 32)
  const { customers, history } = await namesOf(acme)
  assert.deepEqual(customers.toSorted(), created.map(({ body }) => body.name).toSorted())
  assert.deepEqual(history, customers)
})

/** Whether the request has run, and its response is not a stored one. */
function isOriginal({ status, headers }: Response): boolean {
  return status === 200 && headers['idempotent-replayed'] === undefined
}
