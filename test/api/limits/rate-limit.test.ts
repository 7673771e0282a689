import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireWindowEnds } from '../../support/api/one-second-window.ts'
import { assertRefused, keyId } from '../../support/api/shared-errors.ts'
import { eventually } from '../../support/eventually.ts'
import { type Client, command, createKey, makeTenant, type Response, startService } from '../../support/service.ts'

const rateLimitHeaders = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/** Returns the values of the rate-limit headers, and asserts that each is a whole number. */
function limitsOf(response: Response): { limit: number; remaining: number; reset: number } {
  const [limit, remaining, reset] = rateLimitHeaders.map((name) => {
    assert.match(response.headers[name] ?? 'none', /^\d+$/, name)
    return Number(response.headers[name])
  })
  return { limit: limit!, remaining: remaining!, reset: reset! }
}

const get = (client: Client) => client('GET', '/customers.php')

/** Uses the default of 100, because an empty setting is treated as unset. */
const defaultLimit = await startService({ RATE_LIMIT_PER_MINUTE: '' })
const fiveRequests = await startService({ RATE_LIMIT_PER_MINUTE: '5' })
const twelveRequests = await startService({ RATE_LIMIT_PER_MINUTE: '12' })
const oneSecondWindow = await startService({ RATE_LIMIT_PER_MINUTE: '3' }, { windowSeconds: 1 })
const unlimited = await startService({ RATE_LIMIT_PER_MINUTE: '0' })

test('by default, a key can send 100 requests in 60 seconds, which the headers count down; the next request is refused with 429', async () => {
  const client = await defaultLimit.tenant('acme')
  const before = Date.now() / 1000
  let opened = 0
  const resets = new Set<number>()
  for (let remaining = 99; remaining >= 0; remaining--) {
    const response = await get(client)
    opened ||= Date.now() / 1000
    assert.equal(response.status, 200)
    assert.equal(response.headers['retry-after'], undefined)
    const { reset, ...counted } = limitsOf(response)
    assert.deepEqual(counted, { limit: 100, remaining })
    resets.add(reset)
  }
  const refused = await get(client)
  assertRefused(refused, 'rate_limited')
  assert.equal(refused.headers['retry-after'], '60')
  const { reset, ...counted } = limitsOf(refused)
  assert.deepEqual(counted, { limit: 100, remaining: 0 })
  resets.add(reset)
  assert.equal(resets.size, 1)
  const isEnd = reset >= Math.floor(before + 60) && reset <= Math.ceil(opened + 60)
  assert.ok(isEnd, `${reset} is the second 60 s after the first request, between ${before} and ${opened}`)
})

test('a request refused by the rate limit changes nothing', async () => {
  const token = await makeTenant(fiveRequests.environment, 'unchanged')
  const client = fiveRequests.client(token)
  for (let count = 0; count < 8; count++) await client('POST', '/customers.php', { name: 'C' })
  const other = fiveRequests.client(await createKey(fiveRequests.environment, 'unchanged'))
  assert.equal((await get(other)).body.data.length, 5)
})

test('each key of a tenant has its own rate-limit window', async () => {
  const first = await fiveRequests.tenant('apart')
  const second = fiveRequests.client(await createKey(fiveRequests.environment, 'apart'))
  for (const remaining of [4, 3, 2, 1, 0]) assert.equal(limitsOf(await get(first)).remaining, remaining)
  assert.equal((await get(first)).status, 429)
  assert.equal(limitsOf(await get(second)).remaining, 4)
  assert.equal((await get(first)).status, 429)
})

test('every authenticated request counts against the rate limit, even if it fails', async () => {
  const token = await makeTenant(fiveRequests.environment, 'whatever', ['customers:write'])
  const client = fiveRequests.client(token)
  const responses = [
    await client('GET', '/nowhere'),
    await client('PATCH', '/customers.php'),
    await client('GET', '/customers.php'),
    await client('POST', '/customers.php', {}),
    await client('POST', '/customers.php', '{'),
  ]
  assert.deepEqual(
    responses.map((response) => [response.status, limitsOf(response).remaining]),
    [404, 405, 403, 422, 400].map((status, index) => [status, 4 - index]),
  )
  assertRefused(await client('POST', '/customers.php', { name: 'C' }), 'rate_limited')
})

test('requests without a valid key of an active tenant are not counted and have no rate-limit headers', async () => {
  const token = await makeTenant(fiveRequests.environment, 'outside')
  const lastChanged = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
  const secretChanged = `${token.slice(0, 20)}${token[20] === '0' ? '1' : '0'}${token.slice(21)}`
  for (const wrong of [lastChanged, secretChanged, token.slice(0, 30)]) {
    for (let count = 0; count < 6; count++) {
      const refused = await get(fiveRequests.client(wrong))
      assert.equal(refused.status, 401)
      for (const name of rateLimitHeaders) assert.equal(refused.headers[name], undefined)
    }
  }
  await command(fiveRequests.environment, 'tenant', 'suspend', 'outside')
  for (let count = 0; count < 6; count++) {
    const refused = await get(fiveRequests.client(token))
    assert.equal(refused.status, 403)
    for (const name of rateLimitHeaders) assert.equal(refused.headers[name], undefined)
  }
  await command(fiveRequests.environment, 'tenant', 'activate', 'outside')
  assert.equal(limitsOf(await get(fiveRequests.client(token))).remaining, 4)
  await command(fiveRequests.environment, 'key', 'revoke', keyId(token))
  const revoked = await get(fiveRequests.client(token))
  assertRefused(revoked, 'key_revoked')
  for (const name of rateLimitHeaders) assert.equal(revoked.headers[name], undefined)
})

test('the rate limit counts concurrent requests exactly', async () => {
  const client = await twelveRequests.tenant('acme')
  const responses = await Promise.all(Array.from({ length: 20 }, () => get(client)))
  const served = responses.filter(({ status }) => status === 200)
  const refused = responses.filter(({ status }) => status === 429)
  assert.deepEqual([served.length, refused.length], [12, 8])
  const remaining = served.map((response) => limitsOf(response).remaining).sort((a, b) => a - b)
  assert.deepEqual(remaining, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  assert.ok(refused.every((response) => limitsOf(response).remaining === 0))
  assert.equal(new Set(responses.map((response) => limitsOf(response).reset)).size, 1)
})

test('refused requests do not extend a rate-limit window, so the next window starts on time', async () => {
  const client = await oneSecondWindow.tenant('acme')
  assert.equal(limitsOf(await requireWindowEnds([client])).remaining, 2)
})

test('a key’s rate-limit window opens with its first request, independently of other keys', async () => {
  const [early, late] = [await defaultLimit.tenant('early'), await defaultLimit.tenant('late')]
  const { reset } = limitsOf(await get(early))
  // X-RateLimit-Reset is rounded up to whole seconds.
  await eventually('a later window ends in a later second', () => Date.now() > (reset - 60) * 1000)
  assert.ok(limitsOf(await get(late)).reset > reset)
  assert.equal(limitsOf(await get(early)).reset, reset)
})

test('RATE_LIMIT_PER_MINUTE=0 disables the rate limit and its headers', async () => {
  const client = await unlimited.tenant('acme')
  const responses = await Promise.all(Array.from({ length: 120 }, () => get(client)))
  for (const response of responses) {
    assert.equal(response.status, 200)
    for (const name of rateLimitHeaders) assert.equal(response.headers[name], undefined)
  }
})
