// GET /me.php shows a client its API key's details (contract §14).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused, keyId } from '../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { command, createKey, makeTenant, startService } from '../support/service.ts'

const now = new Date('2026-11-22T10:00:00.000Z')
const { environment, client } = await startService({ RATE_LIMIT_PER_MINUTE: '50' }, { now: () => now })
const token = await makeTenant(environment, 'acme', ['customers:read', 'hardware:write'])
await makeTenant(environment, 'zeta')

test('me.php shows the tenant, the key with its scopes and expiry, the time and the version', async () => {
  const { status, body } = await client(token)('GET', '/me.php')
  const key = { id: keyId(token), name: 'API key', scopes: ['customers:read', 'hardware:write'], expires_at: null }
  const { rate_limit, version, ...rest } = body
  assert.deepEqual([status, rest], [200, { tenant: 'acme', key, server_time: now.toISOString() }])
  assert.match(version, /^\d+\.\d+\.\d+/)
  assert.deepEqual(Object.keys(body), ['tenant', 'key', 'rate_limit', 'server_time', 'version'])

  const options = ['--scope', '*:read', '--name', 'Sync', '--expires', '2999-12-31']
  const otherToken = (await command(environment, 'key', 'create', 'zeta', ...options)).stdout.trim()
  const { tenant, key: shown } = (await client(otherToken)('GET', '/me.php')).body
  const expected = { id: keyId(otherToken), name: 'Sync', scopes: ['*:read'], expires_at: '2999-12-31T23:59:59.999Z' }
  assert.deepEqual([tenant, shown], ['zeta', expected])
})

test('me.php shows the same rate limit as the headers, and null for a key without a rate limit', async () => {
  for (const limit of [undefined, '7']) {
    const options = limit === undefined ? [] : ['--rate-limit', limit]
    const created = await command(environment, 'key', 'create', 'acme', '--scope', '*:read', ...options)
    const { body, headers } = await client(created.stdout.trim())('GET', '/me.php')
    const values = ['limit', 'remaining', 'reset'].map((name) => Number(headers[`x-ratelimit-${name}`]))
    assert.deepEqual(
      Object.entries(body.rate_limit),
      Object.entries({ limit: 0, remaining: 0, reset: 0 }).map(([name], index) => [name, values[index]]),
    )
    assert.equal(body.rate_limit.limit, Number(limit ?? 50))
    assert.equal(body.rate_limit.remaining, Number(limit ?? 50) - 1)
  }
  const unlimited = await command(environment, 'key', 'create', 'acme', '--scope', '*:read', '--rate-limit', '0')
  assert.equal((await client(unlimited.stdout.trim())('GET', '/me.php')).body.rate_limit, null)
})

test('any key may read me.php, whatever its scopes', async () => {
  for (const scope of ['customers:read', 'employees:create', 'hardware:delete', 'changes:read', '*:write']) {
    const caller = client(await createKey(environment, 'acme', [scope]))
    const { status, body } = await caller('GET', '/me.php')
    assert.deepEqual([status, body.key.scopes], [200, [scope]])
  }
})

test('me.php returns 503 while the tenant’s database is unavailable, like every other endpoint', async () => {
  const caller = client(await makeTenant(environment, 'away'))
  const tenantDatabase = await tenantDatabaseOf(environment, 'away')
  await tenantDatabase.hide()
  assertRefused(await caller('GET', '/me.php'), 'tenant_unavailable')
  await tenantDatabase.show()
  assert.equal((await caller('GET', '/me.php')).status, 200)
})
