// Wildcard scopes cover everything that the API serves, not only records (contract §14).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Action } from '../../src/access/api-key.ts'
import type { Endpoint } from '../../src/api/endpoint.ts'
import { endpointsOf } from '../../src/api/endpoints/all.ts'
import { object } from '../../src/api/openapi/schemas/kinds.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { assertRefused } from '../support/api/shared-errors.ts'
import { commandWith, makeTenant, startService } from '../support/service.ts'

const actions = { GET: 'read', POST: 'create', PUT: 'update', DELETE: 'delete' } as const satisfies Record<
  string,
  Action
>
type Method = keyof typeof actions
const methods = Object.keys(actions) as Method[]

function endpointFor(resource: string, method: Method): Endpoint {
  return {
    method,
    path: `/${resource}.php`,
    scope: { resource, action: actions[method] },
    answer: async () => ({ status: 200, body: '{}' }),
    docs: () => ({
      id: `${actions[method]}_${resource}`,
      tag: { name: resource, description: 'Endpoints used only in this test.' },
      summary: 'Respond',
      description: 'Responds.',
      errors: [],
      exchanges: [],
      responses: { 200: { description: 'Nothing.', schema: object({}) } },
    }),
  }
}

/** Names of endpoints for data other than records. If the API does not have one of these endpoints, the test declares
 *  the endpoint. */
const names = ['webhooks', 'settings', 'views']
const declared = endpointsOf(resources)
const missing = names.filter((name) => !declared.some(({ path }) => path === `/${name}.php`))
const endpoints = [...declared, ...missing.flatMap((name) => methods.map((method) => endpointFor(name, method)))]

function changingMethodsOf(name: string): string[] {
  return endpoints.flatMap(({ path, method }) => (path === `/${name}.php` && method !== 'GET' ? [method] : []))
}

const { environment, client } = await startService({}, { endpoints })
await makeTenant(environment, 'acme')

async function clientWith(scope: string) {
  const created = await commandWith(endpoints, environment, 'key', 'create', 'acme', '--scope', scope)
  assert.equal(created.exitCode, 0, created.stderr)
  return client(created.stdout.trim())
}

test('*:read permits reading everything, including changes, imports, webhooks, settings and views', async () => {
  const reader = await clientWith('*:read')
  for (const name of [...resources.map(({ name }) => name), 'changes', 'imports', ...names])
    assert.equal((await reader('GET', `/${name}.php`)).status, 200, name)
  assertRefused(await reader('POST', '/imports.php?resource=customers', 'name'), 'forbidden')
  for (const name of names) {
    for (const method of changingMethodsOf(name))
      assertRefused(await reader(method, `/${name}.php`), 'forbidden', `${method} ${name}`)
  }
})

test('*:write permits changing everything, including imports, webhooks, settings and views, but does not permit reading', async () => {
  const writer = await clientWith('*:write')
  for (const name of names) {
    for (const method of changingMethodsOf(name))
      assert.notEqual((await writer(method, `/${name}.php`)).status, 403, `${method} ${name}`)
    assertRefused(await writer('GET', `/${name}.php`), 'forbidden', name)
  }
  const headers = { 'content-type': 'text/csv' }
  assert.equal((await writer('POST', '/imports.php?resource=customers', 'name', headers)).status, 202)
  for (const name of ['changes', 'imports']) assertRefused(await writer('GET', `/${name}.php`), 'forbidden')
})
