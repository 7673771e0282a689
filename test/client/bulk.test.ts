// The client's bulk requests and streamed upserts, sent to a real server over the network.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CustomerChanges, createClient, metaOf, TenantdeskError, type Wait } from '../../client/index.ts'
import { eventually } from '../support/eventually.ts'
import { createKey, makeTenant, startProcess, startService, temporaryDirectory } from '../support/service.ts'

const service = await startService()
const baseUrl = await service.listen()
const key = await makeTenant(service.environment, 'acme')
const acme = createClient({ baseUrl, key, patience: 5000 })

type NamedCustomer = CustomerChanges & { external_id: string; name: string }

function* customers(prefix: string, count: number): Generator<NamedCustomer> {
  for (let index = 0; index < count; index++) yield { external_id: `${prefix}-${index}`, name: `${prefix} ${index}` }
}

test('client.bulk sends many operations and returns their results in order', async () => {
  const response = await acme.bulk([
    { method: 'PUT', resource: 'customers', external_id: 'b-1', body: { name: 'Branch' } },
    { method: 'POST', resource: 'employees', body: { customer_external_id: 'b-1', email: 'ada@example.com' } },
    { method: 'DELETE', resource: 'employees', id: 1 },
  ])
  assert.deepEqual(
    response.results.map(({ status }) => status),
    [201, 201, 200],
  )
  assert.equal(response.change_set, metaOf(response)?.changeSet)
})

test('if an operation fails, client.bulk throws an error with the results of all operations, unless the mode is each', async () => {
  const operations = [
    { method: 'PUT', resource: 'customers', external_id: 'b-2', body: { name: 'Branch' } },
    { method: 'DELETE', resource: 'customers', id: 987654 },
  ] as const
  await assert.rejects(acme.bulk(operations), (error) => {
    assert.ok(error instanceof TenantdeskError)
    assert.equal(error.code, 'bulk_failed')
    assert.deepEqual(
      error.results.map((result) => 'error' in result && result.error.code),
      ['not_applied', 'not_found'],
    )
    return true
  })
  const { succeeded, failed } = await acme.bulk(operations, { mode: 'each' })
  assert.deepEqual([succeeded, failed], [1, 1])
})

test('upsertMany sends batches of the server’s limit if that is less than 1,000', async () => {
  const small = await startService({ BULK_LIMIT: '7' })
  const key = await makeTenant(small.environment, 'acme')
  const outcomes: string[] = []
  const { customers: resource } = createClient({ baseUrl: await small.listen(), key, patience: 5000 })
  for await (const { outcome, given } of resource.upsertMany(customers('l', 40), { inFlight: 2 }))
    outcomes.push(`${outcome} ${given.external_id}`)
  assert.deepEqual(
    outcomes,
    [...customers('l', 40)].map(({ external_id }) => `created ${external_id}`),
  )
})

test('upsertMany creates and updates a stream of records, and reports the outcomes in order', async () => {
  const outcomes: string[] = []
  async function* records(): AsyncGenerator<NamedCustomer> {
    yield* customers('s', 120)
    yield { external_id: 'wrong', name: '' }
    yield* customers('s', 30) // repeats the first 30 records
  }
  for await (const result of acme.customers.upsertMany(records(), { batchSize: 25, inFlight: 4 })) {
    if (result.outcome === 'failed') assert.equal(result.failure.errors?.name?.code, 'required')
    else
      assert.deepEqual([result.record.external_id, result.record.name], [result.given.external_id, result.given.name])
    outcomes.push(`${result.given.external_id} ${result.outcome}`)
  }
  const expected = (outcome: string, count: number) =>
    Array.from(customers('s', count), (customer) => `${customer.external_id} ${outcome}`)
  assert.deepEqual(outcomes, [...expected('created', 120), 'wrong failed', ...expected('updated', 30)])
})

test('upsertMany reports unknown fields as failures, unless handling is lenient', async () => {
  const misspelled = [{ external_id: 'u-1', name: 'C', citty: 'Izmir' }]
  const outcomesOf = async (options: { handling?: 'lenient' }) =>
    (await Array.fromAsync(acme.customers.upsertMany(misspelled, options))).map(({ outcome }) => outcome)
  assert.deepEqual([await outcomesOf({}), await outcomesOf({ handling: 'lenient' })], [['failed'], ['created']])
})

test('upsertMany sends several requests concurrently, and reads only the input that these requests require', async () => {
  let [recordsRead, running, maxRunning] = [0, 0, 0]
  function* records() {
    for (const customer of customers('lazy', 1000)) {
      recordsRead++
      yield customer
    }
  }
  const counting: typeof fetch = async (...call) => {
    maxRunning = Math.max(maxRunning, ++running)
    return fetch(...call).finally(() => running--)
  }
  const client = createClient({ baseUrl, key, fetch: counting })
  for await (const { outcome } of client.customers.upsertMany(records(), { batchSize: 10, inFlight: 3 })) {
    assert.equal(outcome, 'created')
    break
  }
  assert.equal(maxRunning, 3)
  assert.ok(recordsRead <= 51, `at most 51 records are read, not ${recordsRead}`)
})

test('upsertMany applies each record once even if responses are lost and the service is busy', async () => {
  let calls = 0
  const unreliable: typeof fetch = async (...call) => {
    const kind = ++calls % 4
    if (kind === 1) return new Response('{}', { status: 503, headers: { 'retry-after': '0' } })
    const response = await fetch(...call)
    if (kind === 2) throw new TypeError('the response is lost')
    return response
  }
  const tenant = await makeTenant(service.environment, 'troubled')
  const client = createClient({ baseUrl, key: tenant, fetch: unreliable, patience: 20_000 })
  const outcomes = await Array.fromAsync(client.customers.upsertMany(customers('t', 60), { batchSize: 10 }))
  assert.deepEqual(new Set(outcomes.map(({ outcome }) => outcome)), new Set(['created']))
  const reliable = createClient({ baseUrl, key: tenant })
  assert.deepEqual([(await reliable.customers.page({ total: true })).page.total, outcomes.length], [60, 60])
  assert.equal((await reliable.changes.page()).page.latest, 60)
})

test('upsertMany sends batches of as many records as the service accepts', async () => {
  const sizes: number[] = []
  const counting: typeof fetch = async (url, init) => {
    sizes.push(JSON.parse(init!.body as string).operations.length)
    return fetch(url, init)
  }
  const client = createClient({ baseUrl, key, fetch: counting })
  const outcomes = await Array.fromAsync(client.customers.upsertMany(customers('many', 1001)))
  assert.ok(outcomes.every(({ outcome }) => outcome === 'created'))
  assert.deepEqual(sizes, [1000, 1])
})

test('if the rate limit requires a longer wait, upsertMany exceeds the client’s time limit', async () => {
  let isFirst = true
  const limited: typeof fetch = async (...call) => {
    if (!isFirst) return fetch(...call)
    isFirst = false
    const body = { error: { code: 'rate_limited', message: 'Wait.', status: 429 } }
    return new Response(JSON.stringify(body), { status: 429, headers: { 'retry-after': '1' } })
  }
  const waits: unknown[] = []
  const onWait = ({ seconds, reason }: Wait) => waits.push([seconds, reason])
  const client = createClient({ baseUrl, key, fetch: limited, patience: 900, onWait })
  const outcomes = await Array.fromAsync(client.customers.upsertMany(customers('limited', 3)))
  assert.deepEqual([outcomes.length, waits], [3, [[1, 'rate_limit']]])
})

test('upsertMany throws if a whole request is refused, and reports a missing scope for each record', async () => {
  const withInvalidKey = createClient({ baseUrl, key: key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x') })
  await assert.rejects(Array.fromAsync(withInvalidKey.customers.upsertMany(customers('x', 3))), { code: 'invalid_key' })
  const creator = createClient({ baseUrl, key: await createKey(service.environment, 'acme', ['customers:create']) })
  const outcomes = await Array.fromAsync(creator.customers.upsertMany(customers('x', 2)))
  assert.deepEqual(
    outcomes.map((result) => result.outcome === 'failed' && result.failure.error.code),
    ['forbidden', 'forbidden'],
  )
})

test('upsertMany applies each record once if the server is killed and restarted during the requests', async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(settings, 'killed')
  const server = await startProcess(settings)
  const client = createClient({ baseUrl: server.url, key: token })
  let reported = 0
  const upserting = (async () => {
    for await (const { outcome } of client.customers.upsertMany(customers('k', 1500), { batchSize: 50 })) {
      assert.equal(outcome, 'created')
      reported++
    }
  })()
  await eventually('some results are reported', () => reported >= 50, { everyMs: 1 })
  await server.crash(0)
  await upserting
  assert.equal(reported, 1500)
  assert.equal((await client.changes.page()).page.latest, 1500)
})
