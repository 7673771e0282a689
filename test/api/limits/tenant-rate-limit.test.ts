// All keys of a tenant share the tenant's rate limit, across all nodes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { eventually } from '../../support/eventually.ts'
import { prepareRedis, withoutRedis } from '../../support/servers/redis.ts'
import {
  type Client,
  createKey,
  type Environment,
  engine,
  makeTenant,
  type Response,
  startService,
} from '../../support/service.ts'

const get = (client: Client) => client('GET', '/customers.php')

function limitsOf({ headers }: Response) {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`])
  return { limit, remaining, reset }
}

/** Creates clients of one tenant, each with its own key. */
async function clientsOf(service: Awaited<ReturnType<typeof startService>>, slug: string, count: number) {
  const tokens = [await makeTenant(service.environment, slug)]
  while (tokens.length < count) tokens.push(await createKey(service.environment, slug))
  return tokens.map((token) => service.client(token))
}

/** Registers the tests for one way of counting requests. */
function testTenantLimit(
  where: string,
  start: (settings: Environment, windowSeconds?: number) => ReturnType<typeof startService>,
  skip: string | false = false,
) {
  test(`all keys of a tenant together can send as many requests as the tenant's limit allows (${where})`, {
    skip,
  }, async () => {
    const service = await start({ RATE_LIMIT_PER_MINUTE: '4', TENANT_RATE_LIMIT_PER_MINUTE: '6' })
    const [first, second] = (await clientsOf(service, 'acme', 2)) as [Client, Client]
    const [other] = (await clientsOf(service, 'zeta', 1)) as [Client]
    for (const remaining of ['3', '2', '1', '0']) assert.equal(limitsOf(await get(first)).remaining, remaining)
    for (const remaining of ['3', '2']) assert.equal(limitsOf(await get(second)).remaining, remaining)
    const refused = await get(second)
    assertRefused(refused, 'rate_limited')
    assert.match(refused.body.error.message, /tenant/)
    const { reset, ...shown } = limitsOf(refused)
    assert.deepEqual(shown, { limit: '4', remaining: '0' })
    assert.ok(Number(reset) > Date.now() / 1000 && Number(reset) <= Math.ceil(Date.now() / 1000 + 60))
    assert.equal(limitsOf(await get(second)).reset, reset)
    assert.equal(limitsOf(await get(other)).remaining, '3')
  })

  test(`requests refused by a key's limit do not count against the tenant's limit (${where})`, { skip }, async () => {
    const service = await start({ RATE_LIMIT_PER_MINUTE: '3', TENANT_RATE_LIMIT_PER_MINUTE: '6' })
    const [busy, quiet] = (await clientsOf(service, 'acme', 2)) as [Client, Client]
    for (let count = 0; count < 20; count++) await get(busy)
    for (const status of [200, 200, 200, 429]) assert.equal((await get(quiet)).status, status)
  })

  test(`concurrent requests with several keys can use up the tenant's limit but not exceed it (${where})`, {
    skip,
  }, async () => {
    const service = await start({ RATE_LIMIT_PER_MINUTE: '10', TENANT_RATE_LIMIT_PER_MINUTE: '25' })
    const clients = await clientsOf(service, 'acme', 4)
    const responses = await Promise.all(Array.from({ length: 36 }, (_, index) => get(clients[index % 4]!)))
    const served = responses.filter(({ status }) => status === 200)
    assert.equal(served.length, 25)
    for (const response of responses) if (response.status !== 200) assertRefused(response, 'rate_limited')
  })

  test(`after the tenant's window has ended, the tenant's keys are served again (${where})`, { skip }, async () => {
    const service = await start({ RATE_LIMIT_PER_MINUTE: '50', TENANT_RATE_LIMIT_PER_MINUTE: '2' }, 1)
    const [client] = (await clientsOf(service, 'acme', 1)) as [Client]
    let response = await get(client)
    for (let count = 0; count < 10 && response.status !== 429; count++) response = await get(client)
    assertRefused(response, 'rate_limited')
    assert.equal(response.headers['retry-after'], '60')
    await eventually('the window is over', async () => (await get(client)).status === 200, { everyMs: 25 })
  })
}

testTenantLimit('counted by the engine', (settings, windowSeconds) => startService(settings, { windowSeconds }))

// Counting in Redis does not depend on the database engine, so testing it on one engine is enough.
const skip = engine === 'postgres' ? 'Redis is tested on SQLite' : withoutRedis
const redis = await prepareRedis()
if (!skip) await redis.start()
testTenantLimit(
  'counted in Redis',
  (settings, windowSeconds) => startService({ ...settings, RATE_LIMIT_REDIS_URL: redis.url }, { windowSeconds }),
  skip,
)

test('by default, a tenant’s limit is ten times a key’s limit', async () => {
  const service = await startService({ RATE_LIMIT_PER_MINUTE: '2' })
  const clients = await clientsOf(service, 'acme', 11)
  for (const client of clients.slice(0, 10)) {
    for (const status of [200, 200, 429]) assert.equal((await get(client)).status, status)
  }
  assertRefused(await get(clients[10]!), 'rate_limited')
})

test('with TENANT_RATE_LIMIT_PER_MINUTE=0, only the keys’ own limits apply', async () => {
  const service = await startService({ RATE_LIMIT_PER_MINUTE: '1', TENANT_RATE_LIMIT_PER_MINUTE: '0' })
  for (const client of await clientsOf(service, 'acme', 12)) assert.equal((await get(client)).status, 200)
})

test('if keys have no limit, the rate-limit headers show the tenant’s limit', async () => {
  const service = await startService({ RATE_LIMIT_PER_MINUTE: '0', TENANT_RATE_LIMIT_PER_MINUTE: '2' })
  const clients = await clientsOf(service, 'acme', 2)
  for (const [index, remaining] of ['1', '0'].entries()) {
    const { reset, ...shown } = limitsOf(await get(clients[index]!))
    assert.deepEqual(shown, { limit: '2', remaining })
    assert.ok(reset)
  }
  assertRefused(await get(clients[0]!), 'rate_limited')
})
