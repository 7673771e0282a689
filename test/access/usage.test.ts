// API key usage counts: each node sees the counts of all nodes, and no count is lost.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { pino } from 'pino'
import { listHours, listLastUses, UsageCounter } from '../../src/access/request-counts.ts'
import { openService } from '../../src/app/service.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { Unavailable } from '../../src/engine/database/database.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { keyId } from '../support/api/shared-errors.ts'
import { eventually } from '../support/eventually.ts'
import { createInstallation, testTime } from '../support/people.ts'
import { command, createKey, generousTimeouts, type Json, makeTenant } from '../support/service.ts'

const { environment, catalog, otherCatalog } = await createInstallation()
const since = testTime(-86_400)

/** Creates a key for the tenant and returns it in the form that the request handler passes to the counter. */
async function newCaller(slug: string) {
  const id = keyId(await createKey(environment, slug))
  return { id, tenant: { id: (await requireTenant(catalog, slug)).id } }
}

const row = (seconds: number, requests: number, errors: number, limited: number) => ({
  hour: testTime(seconds).toISOString(),
  requests,
  errors,
  limited,
})

test('hourly counts of requests, errors and rate-limit refusals are summed over all nodes, and the latest use is kept', async () => {
  let now = testTime(10)
  const nodes = [new UsageCounter(catalog, () => now), new UsageCounter(otherCatalog, () => now)] as const
  const [first, second] = [await newCaller('acme'), await newCaller('acme')]
  const statuses = [200, 201, 304, 400, 404, 429, 429, 500]
  for (const status of statuses) nodes[0].count(first, status, '192.0.2.1')
  await nodes[0].flush()
  now = testTime(3599)
  nodes[1].count(first, 200, '2001:db8::1')
  nodes[1].count(second, 403, '192.0.2.2')
  now = testTime(3600)
  nodes[1].count(first, 200, '192.0.2.3')
  await nodes[1].flush()
  now = testTime(20)
  nodes[0].count(first, 200, '192.0.2.4') // this node's clock is behind
  for (const node of nodes) await node.close()

  assert.deepEqual(await listHours(otherCatalog, { keyId: first.id, since }), [row(0, 10, 3, 2), row(3600, 1, 0, 0)])
  assert.deepEqual(await listHours(otherCatalog, { keyId: first.id, since: testTime(3600) }), [row(3600, 1, 0, 0)])
  assert.deepEqual(await listHours(catalog, { tenantId: first.tenant.id, since }), [
    row(0, 11, 4, 2),
    row(3600, 1, 0, 0),
  ])
  assert.deepEqual(await listHours(catalog, { since }), [row(0, 11, 4, 2), row(3600, 1, 0, 0)])
  assert.deepEqual(await listHours(catalog, { tenantId: 'nobody', since }), [])
  assert.deepEqual(await listLastUses(catalog, first.tenant.id), [
    { key_id: first.id, last_used_at: testTime(3600).toISOString(), last_used_from: '192.0.2.3' },
    { key_id: second.id, last_used_at: testTime(3599).toISOString(), last_used_from: '192.0.2.2' },
  ])
})

test('usage counts that could not be written are written later, together with newer counts', async () => {
  let isDisconnected = true
  const disconnected: Catalog = {
    ...catalog,
    transaction: (work, effect) =>
      isDisconnected ? Promise.reject(new Unavailable('the connection was cut')) : catalog.transaction(work, effect),
  }
  let now = testTime(0)
  const usage = new UsageCounter(disconnected, () => now)
  const callers = [await newCaller('acme')]
  while (callers.length < 120) callers.push({ id: `none${callers.length}`, tenant: callers[0]!.tenant })
  for (const seconds of [0, 10, 3600]) {
    now = testTime(seconds)
    for (const caller of callers) usage.count(caller, 200, `192.0.2.${seconds % 7}`)
    await assert.rejects(usage.flush(), Unavailable)
  }
  isDisconnected = false
  usage.count(callers[0]!, 500, '192.0.2.9')
  await Promise.all([usage.flush(), usage.flush()])
  const { id, tenant } = callers[0]!
  assert.deepEqual(await listHours(catalog, { keyId: id, since }), [row(0, 2, 0, 0), row(3600, 2, 1, 0)])
  const last = (await listLastUses(catalog, tenant.id)).find(({ key_id }) => key_id === id)
  assert.equal(last?.last_used_from, '192.0.2.9')
  await usage.close()
})

test('deleting a key or a tenant deletes its usage counts, and later counts are discarded', async () => {
  await command(environment, 'tenant', 'create', 'globex')
  const usage = new UsageCounter(catalog, () => testTime())
  const [deletedKey, keptKey, keyOfDeletedTenant] = [
    await newCaller('acme'),
    await newCaller('acme'),
    await newCaller('globex'),
  ]
  const count = async () => {
    for (const caller of [deletedKey, keptKey, keyOfDeletedTenant]) usage.count(caller, 200, '192.0.2.1')
    await usage.flush()
    const hours = [deletedKey, keptKey, keyOfDeletedTenant].map(({ id }) => listHours(catalog, { keyId: id, since }))
    const uses = await Promise.all([keptKey, keyOfDeletedTenant].map(({ tenant }) => listLastUses(catalog, tenant.id)))
    const used = uses.flat().map(({ key_id }) => key_id)
    return [
      ...(await Promise.all(hours)).map((rows) => rows.length),
      used.includes(deletedKey.id),
      used.includes(keyOfDeletedTenant.id),
    ]
  }
  assert.deepEqual(await count(), [1, 1, 1, true, true])
  assert.equal((await command(environment, 'key', 'delete', deletedKey.id)).exitCode, 0)
  assert.equal((await command(environment, 'tenant', 'delete', 'globex', '--yes')).exitCode, 0)
  assert.deepEqual(await listHours(catalog, { keyId: keyOfDeletedTenant.id, since }), [])
  assert.deepEqual(await count(), [0, 1, 0, false, false])
  await usage.close()
})

test('hourly usage counts are kept for 90 days', async () => {
  let now = testTime()
  const usage = new UsageCounter(catalog, () => now)
  const caller = await newCaller('acme')
  const hours = async () => (await listHours(catalog, { keyId: caller.id, since })).length
  for (const day of [0, 90, 91]) {
    now = testTime(day * 86_400)
    usage.count(caller, 200, '192.0.2.1')
    await usage.flush()
    assert.equal(await hours(), day === 0 ? 1 : 2, `day ${day}`)
  }
  await usage.close()
})

test('counting a request does not invalidate cached keys, and takes less processor time than verifying the key', async () => {
  const usage = new UsageCounter(catalog, () => new Date())
  const callers = [await newCaller('acme'), await newCaller('acme'), await newCaller('acme')]
  const version = await catalog.version()
  const count = (number: number) => usage.count(callers[number % 3]!, 200, '192.0.2.1')
  const verify = () => createHmac('sha256', 'pepper').update('secret').digest()
  const [counting, verifying]: [number[], number[]] = [[], []]
  for (let round = 0; round < 5; round++) {
    counting.push(processorTimeOf(count))
    verifying.push(processorTimeOf(verify))
  }
  const [fastest, limit] = [Math.min(...counting), Math.min(...verifying)]
  assert.ok(fastest < limit, `counting takes ${fastest} µs and verifying ${limit} µs for 20,000 requests`)
  await usage.close()
  assert.equal(await catalog.version(), version)
})

/** Returns the processor time of 20,000 calls, in microseconds. */
function processorTimeOf(work: (number: number) => unknown): number {
  const start = process.cpuUsage()
  for (let number = 0; number < 20_000; number++) work(number)
  const { user, system } = process.cpuUsage(start)
  return user + system
}

test('a service writes its remaining usage counts when it stops, and does not count unauthenticated requests', async () => {
  const config = readConfig({ ...environment, PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '3' })
  const token = await makeTenant(environment, 'served')
  const service = await openService(config, { workers: 1, ...generousTimeouts, now: () => testTime(7200) })
  const statusOf = async (authorization: string, path: string) => {
    const response = await service.server.inject({
      method: 'GET',
      url: `/api/v1${path}`,
      headers: { authorization },
      remoteAddress: '192.0.2.77',
    })
    return response.statusCode
  }
  const statuses = []
  for (const path of ['/customers.php', '/customers.php?id=7', '/nothing.php', '/customers.php']) {
    statuses.push(await statusOf(`Bearer ${token}`, path))
  }
  assert.deepEqual(statuses, [200, 404, 404, 429])
  assert.equal(await statusOf(`Bearer ${token.slice(0, 51)}_`, '/customers.php'), 401)
  await service.close()
  const engine = await openDatabases(config, resources)
  const { id } = await requireTenant(engine.catalog, 'served')
  assert.deepEqual(await listHours(engine.catalog, { tenantId: id, since }), [row(7200, 4, 2, 1)])
  assert.deepEqual(await listLastUses(engine.catalog, id), [
    { key_id: keyId(token), last_used_at: testTime(7200).toISOString(), last_used_from: '192.0.2.77' },
  ])
  await engine.close()
})

test('a request is logged and counted exactly once, even if its target is malformed or its client disconnects', async () => {
  const config = readConfig({ ...environment, PORT: '0', RATE_LIMIT_PER_MINUTE: '0' })
  const headers = { authorization: `Bearer ${await makeTenant(environment, 'seen')}` }
  const lines: Json[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const requestLines = () => lines.filter(({ msg }) => msg === 'request')
  await using service = await openService(config, { workers: 1, ...generousTimeouts, now: () => testTime(7200), log })
  const url = `${await service.listen()}/customers.php`
  await service.server.inject({ url: '/api/v1/%', headers })
  const aborted = request(url, { method: 'POST', headers: { ...headers, 'content-length': 99 } })
  const [[received]] = await Promise.all([
    once(service.server.server, 'request') as Promise<[IncomingMessage]>,
    aborted.on('error', () => {}).flushHeaders(),
  ])
  await eventually('the server reads the body', () => received.listenerCount('data') > 0)
  const receivedAt = performance.now()
  await eventually('the request has lasted 50 ms', () => performance.now() - receivedAt > 50)
  aborted.destroy()
  await eventually('the aborted request is logged', () => requestLines().length === 2)
  await service.server.inject({ url: '/api/v1/customers.php', headers })
  assert.deepEqual(
    requestLines().map(({ method, path, status, address }) => [method, path, status, address]),
    [
      ['GET', '/api/v1/%', 404, '127.0.0.1'],
      ['POST', '/api/v1/customers.php', 499, '127.0.0.1'],
      ['GET', '/api/v1/customers.php', 200, '127.0.0.1'],
    ],
  )
  assert.deepEqual([...new Set(requestLines().map(({ tenant }) => tenant))], ['seen'])
  assert.ok(requestLines()[1].milliseconds >= 50, 'the log contains the time until the client disconnected')
  const { payload } = await service.server.inject('/metrics')
  assert.match(payload, /^tenantdesk_http_requests_total\{method="POST",status="499"\} 1$/m)
  await service.close()
  const engine = await openDatabases(config, resources)
  const { id } = await requireTenant(engine.catalog, 'seen')
  assert.deepEqual(await listHours(engine.catalog, { tenantId: id, since }), [row(7200, 3, 2, 0)])
  await engine.close()
})
