// What error messages say about the request at hand (contract §27).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { command, createKey, startService } from '../../support/service.ts'

const service = await startService()
const acme = await service.tenant('acme')
await acme('POST', '/customers.php', { name: 'Head office', external_id: 'erp-1' })
await acme('POST', '/employees.php', { customer_id: 1, email: 'ada@example.com', external_id: 'hr-1' })
await acme('POST', '/hardware.php', { employee_id: 1, asset_tag: 'TD-1', external_id: 'hw-1' })

async function clientWith(...scopes: string[]) {
  return service.client(await createKey(service.environment, 'acme', scopes))
}

test('a response with 401 has WWW-Authenticate: Bearer', async () => {
  const values = [undefined, 'Basic x', 'Bearer x', `Bearer tdk_${'x'.repeat(48)}`]
  for (const headers of values.map(
    (authorization): Record<string, string> => (authorization ? { authorization } : {}),
  )) {
    for (const method of ['GET', 'HEAD', 'POST']) {
      const response = await service.request(method, '/customers.php', headers)
      assert.deepEqual([response.status, response.headers['www-authenticate']], [401, 'Bearer'])
    }
  }
})

test('forbidden names the missing scopes and those of the key, in the message and in WWW-Authenticate', async () => {
  const reader = await clientWith('employees:read')
  const writer = await clientWith('imports:write', 'employees:create', 'hardware:read')
  const hardwareWriter = await clientWith('hardware:write')
  const change = await acme('PUT', '/customers.php?id=1', { city: 'Bern' })
  const undo = { change_set: change.headers['change-set'] }
  const requests = [
    [reader('GET', '/hardware.php'), 'hardware:read', 'employees:read'],
    [reader('POST', '/hardware.php', {}), 'hardware:create', 'employees:read'],
    [reader('PUT', '/hardware.php?external_id=x', {}), 'hardware:update hardware:create', 'employees:read'],
    [reader('DELETE', '/employees.php?id=1'), 'employees:delete', 'employees:read'],
    [reader('GET', '/employees.php?include=customer'), 'customers:read', 'employees:read'],
    [reader('GET', '/employees.php?format=csv&fields=id,customer_name'), 'customers:read', 'employees:read'],
    [
      writer('GET', '/hardware.php?employee.department=IT'),
      'employees:read',
      'imports:write, employees:create, hardware:read',
    ],
    [
      writer('POST', '/imports.php?resource=employees', 'email\n'),
      'employees:update employees:delete',
      'imports:write',
    ],
    [writer('POST', '/imports.php?resource=customers', 'name\n'), 'customers:write', 'imports:write'],
    [hardwareWriter('POST', '/undo.php', undo), 'customers:write', 'hardware:write'],
  ] as const
  for (const [sent, missing, held] of requests) {
    const { status, body, headers } = await sent
    assert.equal(status, 403)
    assert.equal(headers['www-authenticate'], `Bearer error="insufficient_scope", scope="${missing}"`)
    for (const scope of [...missing.split(' '), held]) assert.ok(body.error.message.includes(scope), body.error.message)
  }
  const head = await reader('HEAD', '/hardware.php')
  assert.match(head.headers['www-authenticate']!, /scope="hardware:read"/)
  const { body } = await reader('GET', '/hardware.php')
  assert.equal(body.error.message, 'This request needs hardware:read. The API key has employees:read.')
})

test('a suspended tenant’s 403 does not ask for other scopes', async () => {
  const other = await service.tenant('other')
  await command(service.environment, 'tenant', 'suspend', 'other')
  const { status, headers } = await other('GET', '/customers.php')
  assert.deepEqual([status, headers['www-authenticate']], [403, undefined])
})
