// Rate limits of individual keys (contract §14), counted by the node, in PostgreSQL or in Redis.

import '../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused, keyId } from '../support/api/shared-errors.ts'
import { createPanelUser, decodeHtml, signIn } from '../support/panel/panel-client.ts'
import { prepareRedis, withoutRedis } from '../support/servers/redis.ts'
import {
  type Client,
  command,
  type Environment,
  engine,
  type Json,
  makeTenant,
  startService,
  temporaryDirectory,
} from '../support/service.ts'
import { returnToCatalogVersion } from '../support/versions/older-catalog.ts'

const get = (client: Client) => client('GET', '/customers.php')

async function createKey(environment: Environment, ...options: string[]): Promise<string> {
  const created = await command(environment, 'key', 'create', 'acme', '--scope', '*:read', ...options)
  assert.equal(created.exitCode, 0, created.stderr)
  return created.stdout.trim()
}

/** Sends requests and describes each response by its status, remaining requests and limit, as in `200 1/2`. */
async function countdown(client: Client, requests: number): Promise<string[]> {
  const outcomes: string[] = []
  for (let count = 0; count < requests; count++) {
    const { status, headers } = await get(client)
    outcomes.push(`${status} ${headers['x-ratelimit-remaining']}/${headers['x-ratelimit-limit']}`)
  }
  return outcomes
}

/** Registers the tests for one way of counting requests. */
function testKeyLimit(
  where: string,
  start: (settings: Environment) => ReturnType<typeof startService>,
  skip: string | false = false,
) {
  test(`a key can have a lower or higher rate limit than the installation (${where})`, { skip }, async () => {
    const { environment, client } = await start({ RATE_LIMIT_PER_MINUTE: '3', TENANT_RATE_LIMIT_PER_MINUTE: '4' })
    const standard = client(await makeTenant(environment, 'acme'))
    const low = client(await createKey(environment, '--rate-limit', '2'))
    const high = client(await createKey(environment, '--rate-limit', '6'))
    assert.deepEqual(await countdown(low, 3), ['200 1/2', '200 0/2', '429 0/2'])
    const refused = await get(low)
    assertRefused(refused, 'rate_limited')
    assert.doesNotMatch(refused.body.error.message, /tenant/)
    const expected = ['200 5/6', '200 4/6', '200 3/6', '200 2/6', '200 1/6', '200 0/6', '429 0/6']
    assert.deepEqual(await countdown(high, 7), expected)
    assert.deepEqual(await countdown(standard, 4), ['200 2/3', '200 1/3', '200 0/3', '429 0/3'])
  })

  test(`a key with the rate limit 0 is unlimited, and its responses have no rate-limit headers (${where})`, {
    skip,
  }, async () => {
    const { environment, client } = await start({ RATE_LIMIT_PER_MINUTE: '2', TENANT_RATE_LIMIT_PER_MINUTE: '2' })
    await makeTenant(environment, 'acme')
    const unlimited = client(await createKey(environment, '--rate-limit', '0'))
    const distinct = new Set(await countdown(unlimited, 12))
    assert.deepEqual([...distinct], ['200 undefined/undefined'])
  })

  test(`a key can have a rate limit if the installation has none (${where})`, { skip }, async () => {
    const { environment, client } = await start({ RATE_LIMIT_PER_MINUTE: '0' })
    const standard = client(await makeTenant(environment, 'acme'))
    const limited = client(await createKey(environment, '--rate-limit', '1'))
    assert.deepEqual(await countdown(limited, 2), ['200 0/1', '429 0/1'])
    assert.deepEqual(await countdown(standard, 1), ['200 undefined/undefined'])
  })

  test(`concurrent requests can use up the key’s own limit but not exceed it (${where})`, {
    skip,
  }, async () => {
    const { environment, client } = await start({ RATE_LIMIT_PER_MINUTE: '3' })
    await makeTenant(environment, 'acme')
    const limited = client(await createKey(environment, '--rate-limit', '15'))
    const responses = await Promise.all(Array.from({ length: 40 }, () => get(limited)))
    assert.equal(responses.filter(({ status }) => status === 200).length, 15)
  })
}

testKeyLimit('counted by the engine', (settings) => startService(settings))

// Counting in Redis does not depend on the database engine, so testing it on one engine is enough.
const skip = engine === 'postgres' ? 'Redis is tested on SQLite' : withoutRedis
const redis = await prepareRedis()
if (!skip) await redis.start()
testKeyLimit('counted in Redis', (settings) => startService({ ...settings, RATE_LIMIT_REDIS_URL: redis.url }), skip)

test('key list shows the rate limit of each key', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  await makeTenant(environment, 'acme')
  await createKey(environment, '--rate-limit', '1000', '--name', 'Sync')
  await createKey(environment, '--rate-limit', '0', '--name', 'Import')
  const list = await command(environment, 'key', 'list', 'acme')
  assert.match(list.stdout, / default +API key\n/)
  assert.match(list.stdout, / 1000\/min +Sync\n/)
  assert.match(list.stdout, / unlimited +Import\n/)
  const keys: Json[] = JSON.parse((await command(environment, 'key', 'list', 'acme', '--json')).stdout)
  const limits = Object.fromEntries(keys.map(({ name, rate_limit }) => [name, rate_limit]))
  assert.deepEqual(limits, { 'API key': null, Sync: 1000, Import: 0 })
})

test('a rate limit that is not a whole number or is too large is refused with the reason, and no key is created', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  await command(environment, 'tenant', 'create', 'acme')
  for (const limit of ['', 'many', '1.5', '1e3', '0x10', '1000000001', '99999999999', ' 5', '1000/min']) {
    const refused = await command(environment, 'key', 'create', 'acme', '--scope', '*:read', `--rate-limit=${limit}`)
    assert.deepEqual([refused.exitCode, refused.stdout], [1, ''], limit)
    assert.match(refused.stderr, /^".*" is not a rate limit: .*0 \(no limit\).*\.\n$/)
  }
  assert.equal((await command(environment, 'key', 'list', 'acme', '--json')).stdout, '[]\n')
})

test('the panel shows the rate limit of each key and marks the installation’s limit as the default', async () => {
  const { environment, service } = await startService({ RATE_LIMIT_PER_MINUTE: '100' }, { nodes: 1 })
  const standard = await makeTenant(environment, 'acme')
  const tokens = { standard, custom: await createKey(environment, '--rate-limit', '2500') }
  const unlimited = await createKey(environment, '--rate-limit', '0')
  await createPanelUser(environment, 'm@example.com', 'acme')
  const manager = await signIn(new URL(await service.listen()).origin, 'm@example.com')
  const pageOf = async (token: string) =>
    decodeHtml((await manager.get(`api_keys.php?key=${keyId(token)}`)).html.replaceAll(/<[^>]*>/g, ' '))
  assert.match(await pageOf(tokens.standard), /Rate limit\s+100 per minute\s+\(default\)/)
  assert.match(await pageOf(tokens.custom), /Rate limit\s+2,500 per minute(?!\s+\(default\))/)
  assert.match(await pageOf(unlimited), /Rate limit\s+No limit(?!\s+\(default\))/)
  const { html } = await manager.get('api_keys.php')
  for (const shown of ['100 per minute', '2,500 per minute', 'No limit'])
    assert.match(html, new RegExp(`data-label="Rate limit">${shown}`), shown)
})

test('keys created before per-key rate limits existed have the installation’s limit', async () => {
  const environment: Environment = { DATA_DIR: temporaryDirectory(), API_KEY_PEPPER: 'p'.repeat(32) }
  const token = await makeTenant(environment, 'acme')
  await returnToCatalogVersion(environment, 1)
  const { client } = await startService({ ...environment, RATE_LIMIT_PER_MINUTE: '2' })
  assert.deepEqual(await countdown(client(token), 3), ['200 1/2', '200 0/2', '429 0/2'])
  const custom = await createKey(environment, '--rate-limit', '9')
  assert.deepEqual(await countdown(client(custom), 1), ['200 8/9'])
})
