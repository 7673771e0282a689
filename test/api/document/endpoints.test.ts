// Everything that is derived from an endpoint declaration, tested with endpoints that exist only in this file.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { generateClientEndpoints } from '../../../docs/client-endpoints.ts'
import { documentOf } from '../../../docs/client-types.ts'
import { type Endpoint, routesOf, scopesOf } from '../../../src/api/endpoint.ts'
import { endpointsOf } from '../../../src/api/endpoints/all.ts'
import { createEndpoint } from '../../../src/api/endpoints/change-records.ts'
import { buildDocument } from '../../../src/api/openapi/document.ts'
import { idSchema, object } from '../../../src/api/openapi/schemas/kinds.ts'
import { type Document, type OpenApiOperation, type Parameter, ref } from '../../../src/api/openapi/types.ts'
import { requireId } from '../../../src/api/parse-request.ts'
import { readConfig } from '../../../src/config.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { resourceNamed } from '../../../src/domain/declarations/resource.ts'
import { invalidRequest } from '../../../src/problem.ts'
import { testRefusals } from '../../support/api/refusals.ts'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { productOf, type Ringing, type Transfer, toyOperations } from '../../support/api/transfer-operation.ts'
import { commandWith, startService } from '../../support/service.ts'

const tag = { name: 'toys', description: 'Endpoints used only in this test.' }

const ping: Endpoint = {
  method: 'GET',
  path: '/ping.php',
  scope: { resource: 'ping', action: 'read' },
  answer: async ({ tenant }) => ({ status: 200, body: JSON.stringify({ pong: tenant.id.length > 0 }) }),
  docs: () => ({
    id: 'read_ping',
    tag,
    summary: 'Answer',
    description: 'Reports that the service responds.',
    responses: { 200: { description: 'The service responds.', schema: object({ pong: { type: 'boolean' } }) } },
    errors: [],
    exchanges: [{ name: 'pong', request: {}, status: 200, answer: { pong: true } }],
  }),
}

const transfer: Endpoint = {
  method: 'POST',
  path: '/hardware_transfer.php',
  scope: { resource: 'hardware', action: 'update' },
  operation: toyOperations.transfer,
  hasBody: true,
  read({ query }, body): Transfer {
    const from = requireId(query)
    const { to } = body() as { to?: unknown }
    if (typeof to === 'number' && Number.isSafeInteger(to)) return { from, to }
    throw invalidRequest('to must be an employee’s id, for example {"to": 7}.')
  },
  docs: () => ({
    id: 'transfer_hardware',
    tag,
    summary: 'Transfer hardware',
    description: 'Moves all hardware of one employee to another.',
    parameters: [{ name: 'id', in: 'query', required: true, description: 'The current holder.', schema: idSchema() }],
    body: { schema: object({ to: { type: 'integer' } }), examples: { moved: { value: { to: 2 } } } },
    responses: { 200: { description: 'The number of items moved.', schema: object({ moved: { type: 'integer' } }) } },
    errors: ['missing_id', 'invalid_request', 'invalid_json', 'payload_too_large', 'invalid_employee'],
    exchanges: [],
  }),
}

const numbers: Endpoint = {
  method: 'GET',
  path: '/numbers.php',
  scope: null,
  answer: async () => ({
    status: 200,
    body: Readable.from(['number\r\n', '1\r\n', '2\r\n']),
    headers: { 'content-type': 'text/csv; charset=utf-8' },
  }),
  docs: () => ({
    id: 'read_numbers',
    tag,
    summary: 'Count',
    description: 'Counts.',
    errors: [],
    exchanges: [],
    responses: { 200: { description: 'Numbers as CSV.' } },
  }),
}

/** Creates a customer. The action on the same path has its own scope, input and documentation. */
const makeToy: Endpoint = {
  ...createEndpoint(resourceNamed(resources, 'customers')),
  path: '/toys.php',
  docs: () => ({
    id: 'create_toys',
    tag,
    summary: 'Make a toy',
    description: 'Makes a toy.',
    body: { schema: object({ name: { type: 'string' } }), examples: { made: { value: { name: 'Bear' } } } },
    responses: { 201: { description: 'The toy.', schema: ref('schemas', 'Customer'), headers: ['Location', 'ETag'] } },
    errors: ['invalid_request', 'invalid_json', 'payload_too_large', 'validation_failed'],
    exchanges: [],
  }),
}

const ringToy: Endpoint = {
  method: 'POST',
  path: '/toys.php',
  action: 'ring',
  scope: { resource: 'customers', action: 'update' },
  operation: toyOperations.ring,
  hasBody: true,
  read({ query }, body): Ringing {
    const id = requireId(query)
    const { times = 1 } = body() as { times?: number }
    return { id, times }
  },
  docs: () => ({
    id: 'ring_toy',
    tag,
    summary: 'Ring a toy',
    description: 'Rings the bell of a toy.',
    parameters: [{ name: 'id', in: 'query', required: true, description: 'The toy.', schema: idSchema() }],
    body: { schema: object({}, { times: { type: 'integer' } }), examples: { rung: { value: { times: 2 } } } },
    responses: { 200: { description: 'How often it rang.', schema: object({ rung: { type: 'integer' } }) } },
    errors: ['missing_id', 'invalid_request', 'invalid_json', 'payload_too_large', 'not_found'],
    exchanges: [{ name: 'rung', request: { query: 'action=ring&id=1' }, status: 200, answer: { rung: 1 } }],
  }),
}

const testEndpoints = [ping, transfer, numbers, makeToy, ringToy]
const endpoints = [...endpointsOf(resources), ...testEndpoints]
const service = await startService({ BODY_LIMIT_BYTES: '4096' }, { endpoints, makeProduct: productOf })
const limited = await startService({ RATE_LIMIT_PER_MINUTE: '1' }, { endpoints, makeProduct: productOf })
const acme = await service.tenant('acme')
const document: Document = JSON.parse((await service.request('GET', '/openapi.json', {})).text)

async function keyWith(scope: string) {
  const created = await commandWith(endpoints, service.environment, 'key', 'create', 'acme', '--scope', scope)
  assert.equal(created.exitCode, 0, created.stderr)
  return service.client(created.stdout.trim())
}

testRefusals(service, testEndpoints)

test('a declared endpoint responds to GET and HEAD', async () => {
  const response = await acme('GET', '/ping.php')
  assert.deepEqual([response.status, response.body], [200, { pong: true }])
  const head = await acme('HEAD', '/ping.php')
  assert.deepEqual([head.status, head.text], [200, ''])
})

test('a declared endpoint can have its own scope, which does not permit requests to other endpoints', async () => {
  const pinger = await keyWith('ping:read')
  assert.equal((await pinger('GET', '/ping.php')).status, 200)
  assertRefused(await pinger('GET', '/hardware.php'), 'forbidden')
  assertRefused(await (await keyWith('hardware:read'))('GET', '/ping.php'), 'forbidden')
  assert.equal((await (await keyWith('*:read'))('GET', '/ping.php')).status, 200)
  const unknown = await commandWith(endpoints, service.environment, 'key', 'create', 'acme', '--scope', 'ping:write')
  assert.equal(unknown.exitCode, 1)
})

test('any key can use an endpoint that does not require a scope', async () => {
  const { status, headers, text } = await rawNumbers()
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
  assert.equal(text, 'number\r\n1\r\n2\r\n')
})

/** Requests /numbers.php, which returns CSV. The response is not checked against the OpenAPI document. */
async function rawNumbers() {
  const created = await commandWith(endpoints, service.environment, 'key', 'create', 'acme', '--scope', 'ping:read')
  const headers = { authorization: `Bearer ${created.stdout.trim()}` }
  const response = await service.service.server.inject({ url: '/api/v1/numbers.php', headers })
  return { status: response.statusCode, headers: response.headers, text: response.payload }
}

test('a declared endpoint counts against the rate limit', async () => {
  const client = await limited.tenant('acme')
  assert.equal((await client('GET', '/ping.php')).status, 200)
  assertRefused(await client('GET', '/ping.php'), 'rate_limited')
})

test('a declared endpoint is in the OpenAPI document, with its scopes, its errors and the shared refusals', () => {
  const { get } = document.paths['/ping.php'] as { get: OpenApiOperation }
  assert.equal(get.operationId, 'read_ping')
  assert.deepEqual(get['x-required-scopes'], ['ping:read', '*:read'])
  assert.deepEqual(Object.keys(get.responses), ['200', '401', '403', '429', '431', '500', '503'])
  const { post } = document.paths['/hardware_transfer.php'] as { post: OpenApiOperation }
  assert.deepEqual(post['x-required-scopes'], ['hardware:update', 'hardware:write', '*:write'])
  assert.ok(JSON.stringify(post.parameters).includes('IdempotencyKey'))
  assert.ok(document.tags.some(({ name }) => name === 'toys'))
})

test('a declared action and its history are written in one transaction', async () => {
  const { from, to } = await createHolders()
  const moved = await acme('POST', `/hardware_transfer.php?id=${from}`, { to })
  assert.deepEqual([moved.status, moved.body], [200, { moved: 2 }])
  const list = (await acme('GET', `/hardware.php?employee_id=${to}`)).body.data
  assert.equal(list.length, 2)
  const { data } = (await acme('GET', `/changes.php?resource=hardware&action=update&id=${list[0].id}`)).body
  assert.deepEqual(data.at(-1).after, { employee_id: to })
  assertRefused(await acme('POST', `/hardware_transfer.php?id=${to}`, { to: 987654 }), 'invalid_employee')
  assert.equal((await acme('GET', `/hardware.php?employee_id=${to}`)).body.data.length, 2)
})

test('a declared action with an Idempotency-Key runs once, and its response is replayed', async () => {
  const { from, to } = await createHolders()
  const headers = { 'idempotency-key': randomUUID() }
  const first = await acme('POST', `/hardware_transfer.php?id=${from}`, { to }, headers)
  assert.deepEqual([first.status, first.headers['idempotent-replayed']], [200, undefined])
  for (const body of [{ to }, { to: 'x' }]) {
    const replay = await acme('POST', `/hardware_transfer.php?id=${from}`, body, headers)
    assert.deepEqual([replay.status, replay.text, replay.headers['idempotent-replayed']], [200, first.text, 'true'])
  }
  const creator = await keyWith('customers:create')
  assertRefused(await creator('POST', '/customers.php', { name: 'C' }, headers), 'forbidden')
})

test('a declared action answers the requests that name it, with its own scope; others reach the endpoint without an action', async () => {
  const toy = await acme('POST', '/toys.php', { name: 'Bear' })
  assert.deepEqual([toy.status, toy.body.name], [201, 'Bear'])
  const rung = await acme('POST', `/toys.php?id=${toy.body.id}&action=ring`, { times: 2 })
  assert.deepEqual([rung.status, rung.body], [200, { rung: 2 }])
  assert.equal((await acme('GET', `/customers.php?id=${toy.body.id}`)).body.notes, 'ring ring')
  const [creator, updater] = [await keyWith('customers:create'), await keyWith('customers:update')]
  assert.equal((await creator('POST', '/toys.php', { name: 'Duck' })).status, 201)
  assertRefused(await creator('POST', `/toys.php?id=${toy.body.id}&action=ring`, {}), 'forbidden')
  assert.equal((await updater('POST', `/toys.php?id=${toy.body.id}&action=ring`, {})).status, 200)
  assertRefused(await updater('POST', '/toys.php', { name: 'Duck' }), 'forbidden')
})

test('an unknown action changes nothing, and the message lists the actions of the path', async () => {
  const before = (await acme('GET', '/customers.php?total=true&limit=1')).body.page.total
  const refusal = await acme('POST', '/toys.php?action=wring', { name: 'Bear' })
  assertRefused(refusal, 'invalid_request')
  assert.equal(refusal.body.error.message, 'action does not take "wring"; allowed: ring.')
  const { body } = await acme('POST', '/customers.php?action=ring', { name: 'Bear' })
  assert.equal(body.error.message, 'action does not take "ring"; this endpoint takes none.')
  assert.equal((await acme('GET', '/customers.php?total=true&limit=1')).body.page.total, before)
})

test('an action runs once for an Idempotency-Key, and the same key does not run another action', async () => {
  const { id } = (await acme('POST', '/toys.php', { name: 'Bear' })).body
  const headers = { 'idempotency-key': randomUUID() }
  const first = await acme('POST', `/toys.php?id=${id}&action=ring`, {}, headers)
  const again = await acme('POST', `/toys.php?id=${id}&action=ring`, {}, headers)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
  assert.equal(again.headers['idempotency-mismatch'], undefined)
  for (const query of ['', '?action=wring']) {
    const other = await acme('POST', `/toys.php${query}`, { name: 'Duck' }, headers)
    assert.deepEqual([other.status, other.text, other.headers['idempotency-mismatch']], [200, first.text, 'true'])
  }
  assert.equal((await acme('GET', `/customers.php?id=${id}`)).body.notes, 'ring')
})

test('the OpenAPI document describes the actions of a path in the operation of its method', () => {
  const { post } = document.paths['/toys.php'] as { post: OpenApiOperation }
  assert.deepEqual([post.operationId, post.summary], ['create_toys', 'Make a toy'])
  assert.ok(post.description.includes('With `action=ring`: Rings the bell of a toy.'), post.description)
  const [action, id] = post.parameters as [Parameter, Parameter]
  assert.deepEqual([action.name, action.schema.enum, action.required], ['action', ['ring'], undefined])
  assert.deepEqual([id.name, id.required], ['id', undefined])
  assert.deepEqual(Object.keys(post.responses).slice(0, 3), ['200', '201', '400'])
  const { 'x-actions': actions, 'x-required-scopes': scopes } = post
  assert.deepEqual(scopes, ['customers:create', 'customers:write', '*:write'])
  assert.deepEqual(actions?.ring?.operationId, 'ring_toy')
  assert.deepEqual(actions?.ring?.['x-required-scopes'], ['customers:update', 'customers:write', '*:write'])
  assert.deepEqual(Object.keys(actions?.ring?.responses ?? {}), ['200'])
})

test('the generated client has a function for a declared endpoint', () => {
  const text = generateClientEndpoints(documentOf(endpoints)).replaceAll(/\s+/g, ' ')
  assert.match(text, /ping: readerOf<PingQuery, \{ pong: boolean \}>\(settings, '\/ping.php'\)/)
  const action = "hardwareTransfer: actionOf<{ id: number }, { to: number }, { moved: number }>(settings, 'POST',"
  assert.ok(text.includes(action), text)
  const ringing =
    "toysRing: actionOf<{ id: number }, { times?: number }, { rung: number }>(settings, 'POST', '/toys.php', 'ring'"
  assert.ok(text.includes(ringing), text)
})

test('the document can be built for resources with any field, such as one that examples use as an unknown field', () => {
  const [customers, ...others] = resources
  const colour = { kind: 'text', max: 30, since: 13 } as const
  const painted = { ...customers!, fields: { ...customers!.fields, colour } }
  const { components, paths } = buildDocument([painted, ...others], endpoints, readConfig({}))
  assert.ok(Object.hasOwn(components.schemas.Customer!.properties as object, 'colour'))
  assert.ok(JSON.stringify(paths['/customers.php']!.post).includes('other_colour'))
})

test('a service whose API document cannot be built does not start', async () => {
  const broken: Endpoint = {
    ...ping,
    path: '/broken.php',
    docs: () => {
      throw new Error('an example that should be refused is valid')
    },
  }
  const starting = startService({}, { endpoints: [...endpoints, broken], nodes: 1 })
  const message = /documentation of GET \/broken\.php .* cannot be built: an example that should be refused is valid/
  await assert.rejects(starting, message)
})

test('declaring two endpoints with the same path, method and action is an error', () => {
  assert.throws(() => routesOf([...endpoints, ping]), /GET \/ping.php is declared twice/)
  assert.throws(() => routesOf([...endpoints, ringToy]), /POST \/toys.php\?action=ring is declared twice/)
})

test('a scope that several endpoints require is listed once', () => {
  const scopes = scopesOf(endpoints)
  assert.deepEqual(scopes, [...new Set(scopes)])
  assert.deepEqual(scopes.slice(-3), ['ping:read', '*:read', '*:write'])
})

/** Creates two employees, and two pieces of hardware for the first one. */
async function createHolders(): Promise<{ from: number; to: number }> {
  const customer = (await acme('POST', '/customers.php', { name: 'C' })).body
  const create = async (email: string) =>
    (await acme('POST', '/employees.php', { customer_id: customer.id, email })).body.id as number
  const [from, to] = [await create('from@acme.test'), await create('to@acme.test')]
  for (const name of ['laptop', 'phone']) await acme('POST', '/hardware.php', { employee_id: from, name })
  return { from, to }
}
