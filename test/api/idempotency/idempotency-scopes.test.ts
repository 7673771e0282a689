// A stored response is replayed only to keys whose scopes permit the original request.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { resourcePaths } from '../../support/resource-names.ts'
import { type Client, createKey, makeTenant, type Response, startService } from '../../support/service.ts'

const service = await startService()
const acme = service.client(await makeTenant(service.environment, 'acme'))
const keyWith = async (...scopes: string[]) => service.client(await createKey(service.environment, 'acme', scopes))
const withKey = (key: string) => ({ 'idempotency-key': key })
const isReplay = (response: Response) => response.headers['idempotent-replayed'] === 'true'

const customer = (await acme('POST', '/customers.php', { name: 'First' })).body
await acme('POST', '/employees.php', { customer_id: customer.id, email: 'a@b.c' })

type RequestParts = [method: string, path: string, body?: unknown]

/** One request for each action, with the scope that permits it. Some of the stored responses are errors. */
const originals: { scope: string; request: RequestParts; status: number }[] = [
  { scope: 'customers:create', request: ['POST', '/customers.php', { name: 'Original' }], status: 201 },
  { scope: 'customers:create', request: ['POST', '/customers.php', { country: 'x' }], status: 422 },
  { scope: 'customers:update', request: ['PUT', `/customers.php?id=${customer.id}`, { city: 'Izmir' }], status: 200 },
  { scope: 'customers:delete', request: ['DELETE', `/customers.php?id=${customer.id}`], status: 409 },
  { scope: 'hardware:create', request: ['POST', '/hardware.php', { employee_id: 99 }], status: 422 },
  { scope: 'employees:update', request: ['PUT', '/employees.php?id=99', { name: 'x' }], status: 404 },
]

/** A request for each scope. Its Idempotency-Key has already been used, so the request is never executed. */
const probes: Record<string, RequestParts> = {
  'customers:create': ['POST', '/customers.php', { name: 'Probe' }],
  'customers:update': ['PUT', `/customers.php?id=${customer.id}`, { notes: 'Probe' }],
  'customers:delete': ['DELETE', `/customers.php?id=${customer.id}`],
  'employees:create': ['POST', '/employees.php', {}],
  'employees:update': ['PUT', '/employees.php', { name: 'Probe' }],
  'hardware:create': ['POST', '/hardware.php', { employee_id: 1 }],
}
const clientsByScope: Record<string, Client> = {}
for (const scope of Object.keys(probes)) clientsByScope[scope] = await keyWith(scope)

async function allRecords(): Promise<string[]> {
  return Promise.all(resourcePaths.map(async (path) => (await acme('GET', path)).text))
}

for (const { scope, request, status } of originals) {
  test(`the response to ${request[0]} ${request[1]} (${status}) is replayed only to keys with ${scope}`, async () => {
    const key = randomUUID()
    const [method, path, body] = request
    const first = await acme(method, path, body, withKey(key))
    assert.deepEqual([first.status, isReplay(first)], [status, false])
    const before = await allRecords()
    for (const [probeScope, [probeMethod, probePath, probeBody]] of Object.entries(probes)) {
      const response = await clientsByScope[probeScope]!(probeMethod, probePath, probeBody, withKey(key))
      if (probeScope === scope) assert.deepEqual([response.text, isReplay(response)], [first.text, true], probeScope)
      else {
        assertRefused(response, 'forbidden', probeScope)
        assert.match(response.body.error.message, new RegExp(`\\b${scope}\\b`))
        assert.deepEqual(
          [isReplay(response), response.headers.location, response.headers.etag],
          [false, undefined, undefined],
        )
      }
    }
    const replay = await acme(method, path, body, withKey(key))
    assert.deepEqual([replay.text, isReplay(replay)], [first.text, true])
    assert.deepEqual(await allRecords(), before)
  })
}

test('a stored response is also replayed to keys with wider scopes that permit the original request', async () => {
  const key = randomUUID()
  const first = await acme('POST', '/customers.php', { name: 'Wide' }, withKey(key))
  for (const scopes of [['customers:write'], ['*:write'], ['customers:create', 'hardware:create']]) {
    const response = await (await keyWith(...scopes))('POST', '/customers.php', { name: 'Wide' }, withKey(key))
    assert.deepEqual([response.text, isReplay(response)], [first.text, true], scopes.join())
  }
})

test('a response stored without scopes is replayed if the request is identical; otherwise the key must have all write scopes', async () => {
  const key = randomUUID()
  const first = await acme('POST', '/customers.php', { name: 'Older' }, withKey(key))
  await (await tenantDatabaseOf(service.environment, 'acme')).run(
    `update stored_responses set scopes = null where key = '${key}'`,
  )
  const same = await clientsByScope['customers:create']!('POST', '/customers.php', { name: 'Older' }, withKey(key))
  assert.deepEqual([same.text, isReplay(same)], [first.text, true])
  const [method, path, body] = probes['employees:create']!
  assertRefused(await clientsByScope['employees:create']!(method, path, body, withKey(key)), 'forbidden')
  assertRefused(
    await (await keyWith('customers:write', 'employees:write'))(method, path, body, withKey(key)),
    'forbidden',
  )
  assert.equal((await acme(method, path, body, withKey(key))).text, first.text)
})
