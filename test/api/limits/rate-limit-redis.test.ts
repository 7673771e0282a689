// With Redis, several nodes share exact request counts. While Redis is unavailable, each node counts by itself.

import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { pino } from 'pino'
import type { ServiceOverrides } from '../../../src/app/context.ts'
import { defaultRedisTimeouts } from '../../../src/lib/redis.ts'
import { requireWindowEnds } from '../../support/api/one-second-window.ts'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { eventually } from '../../support/eventually.ts'
import { password, prepareRedis, withoutRedis } from '../../support/servers/redis.ts'
import {
  type Client,
  command,
  type Environment,
  makeTenant,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../../support/service.ts'

const limit = 40
const redis = await prepareRedis()
if (!withoutRedis) await redis.start()

const environment = await withEngineUrl({ DATA_DIR: temporaryDirectory(), API_KEY_PEPPER: 'p'.repeat(32) })
const slugs = ['warm', 'exact', 'brief', 'held', 'killed', 'late'] as const
const tokens = new Map<string, string>()
for (const slug of slugs) tokens.set(slug, await makeTenant(environment, slug))

/** A longer timeout than in production, because Redis can respond slowly on a busy machine. */
const timeouts = { redisTimeouts: { ...defaultRedisTimeouts, answerMs: 3000 } }

/** Starts a node with the same tenants and keys. On SQLite, the node uses a copy of the files. */
async function startNode(settings: Environment = {}, overrides: ServiceOverrides = timeouts) {
  const copy = temporaryDirectory()
  cpSync(environment.DATA_DIR!, copy, { recursive: true })
  const shared = {
    ...environment,
    DATA_DIR: copy,
    RATE_LIMIT_PER_MINUTE: String(limit),
    RATE_LIMIT_REDIS_URL: redis.url,
  }
  const lines: string[] = []
  const sink = new Writable({ write: (chunk, _encoding, callback) => callback(void lines.push(String(chunk))) })
  const log = pino({ level: 'info' }, sink)
  const service = await startService({ ...shared, ...settings }, { log, nodes: 1, ...overrides })
  return { ...service, redisLog: () => lines.filter((line) => line.includes('RATE_LIMIT_REDIS_URL')) }
}

/** Starts a node that waits up to a minute for Redis, so that the test also works on a slow machine. */
const startPatientNode = (settings?: Environment, windowSeconds?: number) => startNode(settings, { windowSeconds })

const nodes = withoutRedis ? [] : await Promise.all([startNode(), startNode(), startNode()])
const clientsOf = (slug: (typeof slugs)[number]) => nodes.map(({ client }) => client(tokens.get(slug)!))

const get = (client: Client) => client('GET', '/customers.php')
const remainingAt = async (client: Client) => Number((await get(client)).headers['x-ratelimit-remaining'])

/** Waits until two nodes share their counts. */
async function waitUntilShared(client: Client, other: Client): Promise<void> {
  const isShared = async () => (await remainingAt(client)) === (await remainingAt(other)) + 1
  await eventually('the nodes share their counts again', isShared, { everyMs: 50 })
}

/** Sends a request, which must succeed, and returns its duration in milliseconds. */
async function durationOf(client: Client): Promise<number> {
  const before = performance.now()
  assert.equal((await get(client)).status, 200)
  return performance.now() - before
}

/** Returns whether all nodes share their counts. On a busy machine, a node can connect to Redis late. */
async function areCountsShared(): Promise<boolean> {
  const remaining: number[] = []
  for (const client of clientsOf('warm')) remaining.push(await remainingAt(client))
  return remaining.every((number, index) => index === 0 || number === remaining[index - 1]! - 1)
}

if (!withoutRedis) await eventually('the nodes share their counts', areCountsShared, { everyMs: 50 })

test('three nodes with Redis together serve exactly as many concurrent requests as the limit allows', {
  skip: withoutRedis,
}, async () => {
  const patient = await Promise.all([startPatientNode(), startPatientNode(), startPatientNode()])
  const clients = patient.map(({ client }) => client(tokens.get('exact')!))
  const startSecond = Math.floor(Date.now() / 1000)
  const responses = await Promise.all(Array.from({ length: 3 * limit }, (_, index) => get(clients[index % 3]!)))
  const [served, refused] = [200, 429].map((expectedStatus) =>
    responses.filter(({ status }) => status === expectedStatus),
  )
  assert.deepEqual([served!.length, refused!.length], [limit, 2 * limit])
  const remaining = served!.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
  assert.deepEqual(
    remaining.sort((a, b) => a - b),
    Array.from({ length: limit }, (_, index) => index),
  )
  for (const response of refused!) assertRefused(response, 'rate_limited')
  const resets = new Set(responses.map(({ headers }) => headers['x-ratelimit-reset']))
  assert.equal(resets.size, 1)
  const opened = Number([...resets][0]) - 60
  assert.ok(opened >= startSecond && opened <= Math.ceil(Date.now() / 1000), `the window opened at ${opened}`)
})

test('refused requests do not extend a rate-limit window in Redis, whichever node refuses them', {
  skip: withoutRedis,
}, async () => {
  const settings = { RATE_LIMIT_PER_MINUTE: '2' }
  const brief = await Promise.all([startPatientNode(settings, 1), startPatientNode(settings, 1)])
  const second = await requireWindowEnds(brief.map(({ client }) => client(tokens.get('brief')!)))
  assert.equal(second.headers['x-ratelimit-remaining'], '1')
})

test('while Redis does not respond, a node counts requests by itself, and only the first requests are delayed', {
  skip: withoutRedis,
}, async () => {
  const [client, other] = clientsOf('held') as [Client, Client]
  for (const expected of [39, 38]) assert.equal(await remainingAt(client), expected)
  redis.freeze()
  const firstTimes = await Promise.all(Array.from({ length: 5 }, () => durationOf(client)))
  const laterTimes: number[] = []
  for (let count = 0; count < 10; count++) laterTimes.push(await durationOf(client))
  const median = laterTimes.sort((one, other) => one - other)[5]!
  assert.ok(
    median < Math.max(...firstTimes) / 2,
    `the first requests took ${firstTimes} ms, later ones ${laterTimes} ms`,
  )
  assert.equal(await remainingAt(client), limit - 16)
  redis.resume()
  await waitUntilShared(client, other)
})

test('while Redis is down, each node counts requests by itself, and the nodes share their counts again when Redis is back', {
  skip: withoutRedis,
}, async () => {
  const clients = clientsOf('killed')
  const before = nodes.map(({ redisLog }) => redisLog().length)
  await redis.kill()
  for (const client of clients) {
    for (let taken = 0; taken < limit; taken++) assert.equal((await get(client)).status, 200)
    assertRefused(await get(client), 'rate_limited')
  }
  await redis.start()
  const isShared = async () => {
    const counts = await Promise.all(clients.map(remainingAt))
    return Math.max(...counts) - Math.min(...counts) === 2
  }
  await eventually('the nodes share their counts again', isShared, { everyMs: 50 })
  for (const [index, { redisLog }] of nodes.entries()) {
    const [outage, recovery, ...rest] = redisLog().slice(before[index])
    assert.match(outage!, /each node counts requests by itself/)
    assert.match(recovery!, /share their counts/)
    assert.deepEqual(rest, [])
  }
  for (const { redisLog } of nodes) assert.ok(!redisLog().join().includes(password))
})

test('a node starts without Redis, and uses Redis as soon as Redis is available', { skip: withoutRedis }, async () => {
  const [other] = clientsOf('late') as [Client]
  assert.equal(await remainingAt(other), limit - 1)
  await redis.kill()
  const late = await startNode() // starts while Redis is down
  const client = late.client(tokens.get('late')!)
  assert.equal(await remainingAt(client), limit - 1)
  await redis.start()
  await waitUntilShared(client, other)
  assert.equal(late.redisLog().length, 2)
})

test('a rejected Redis password is logged once, without the password', { skip: withoutRedis }, async () => {
  const node = await startNode({ RATE_LIMIT_REDIS_URL: redis.url.replace(password, 'hunter2') })
  const client = node.client(tokens.get('late')!)
  for (const taken of [1, 2, 3]) assert.equal(await remainingAt(client), limit - taken)
  assert.equal(node.redisLog().length, 1)
  assert.match(node.redisLog()[0]!, /WRONGPASS/)
  assert.ok(!node.redisLog()[0]!.includes('hunter2'))
})

test('an outage of Redis is a warning in /readyz, in the metrics and from doctor, and the node stays in service', {
  skip: withoutRedis,
}, async () => {
  const { service, environment: settings } = await startNode()
  const stateOf = async () => {
    const { statusCode, body } = await service.server.inject('/readyz')
    const { components } = JSON.parse(body) as { components: { component: string; status: string }[] }
    return [statusCode, components.find(({ component }) => component === 'rate_limit_server')!.status]
  }
  const findingOf = async () => {
    const { stdout } = await command({ ...settings, PORT: '0' }, 'doctor', '--json')
    const findings = JSON.parse(stdout) as { check: string; status: string; message: string }[]
    return findings.find(({ check }) => check === 'rate_limit_server')!
  }
  assert.deepEqual([await stateOf(), (await findingOf()).status], [[200, 'ok'], 'ok'])
  await redis.kill()
  await eventually('the outage is reported', async () => (await stateOf())[1] === 'warning')
  assert.deepEqual(await stateOf(), [200, 'warning'])
  const { body: metrics } = await service.server.inject('/metrics')
  assert.match(metrics, /tenantdesk_component_state\{component="rate_limit_server",state="warning"\} 1/)
  const { status, message } = await findingOf()
  assert.deepEqual([status, message.includes(password)], ['warning', false])
  await redis.start()
  await eventually('the end of the outage is reported, without a request', async () => (await stateOf())[1] === 'ok')
})
