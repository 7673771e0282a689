// The OpenAPI document (§9) is valid and describes this service, and its examples match real responses. In all tests,
// the client checks every response against the document (test/support/api/openapi-check.ts).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { scopesOf } from '../../../src/api/endpoint.ts'
import { endpointsOf } from '../../../src/api/endpoints/all.ts'
import { exampleKey } from '../../../src/api/endpoints/me.ts'
import { exampleUndo } from '../../../src/api/endpoints/undo.ts'
import { exampleChangeSet } from '../../../src/api/openapi/docs/changes.ts'
import type { Document, Example, OpenApiOperation, Parameter, Response } from '../../../src/api/openapi/types.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import type { Resource } from '../../../src/domain/declarations/resource.ts'
import { fieldCodes } from '../../../src/domain/fields/field-values.ts'
import { problems } from '../../../src/problem.ts'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { eventually } from '../../support/eventually.ts'
import {
  type Client,
  command,
  createKey,
  type Environment,
  type Json,
  makeTenant,
  type Response as ReceivedResponse,
  startService,
} from '../../support/service.ts'

const service = await startService({ RATE_LIMIT_PER_MINUTE: '100000' })
const text = (await service.request('GET', '/openapi.json', {})).text
const document: Document = JSON.parse(text)
const reader = service.tenant('reader')

/** The documented operations of every endpoint, with path and method. */
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) =>
    path.endsWith('.php') ? [{ path, method: method.toUpperCase(), operation: operation as OpenApiOperation }] : [],
  ),
)

/** Returns the errors and warnings of the linter's recommended rules. */
async function lint(document: string): Promise<string[]> {
  const messages = await lintFromString({ source: document, config: await createConfig({ extends: ['recommended'] }) })
  return messages.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
}

test('the OpenAPI document passes the linter, and the linter finds the error in a faulty document', async () => {
  assert.deepEqual(await lint(text), [])
  const faulty = text.replace('"operationId":"create_customers"', '"operationId":"read_customers"')
  assert.match((await lint(faulty)).join(), /operation-operationId-unique/)
})

test('the OpenAPI document can be read without a key, does not count against the rate limit and has an entity tag', async () => {
  const response = await service.request('GET', '/openapi.json', {})
  assert.deepEqual([response.status, response.headers['x-ratelimit-limit']], [200, undefined])
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(response.headers['cache-control'], 'no-cache')
  assert.equal(response.headers['x-content-type-options'], 'nosniff')
  for (const tag of [response.headers.etag!, `"x", W/${response.headers.etag}`]) {
    const cached = await service.request('GET', '/openapi.json', { 'if-none-match': tag })
    assert.deepEqual([cached.status, cached.text, cached.headers.etag], [304, '', response.headers.etag])
  }
  const head = await service.request('HEAD', '/openapi.json', {})
  assert.deepEqual([head.status, head.text, head.headers.etag], [200, '', response.headers.etag])
})

test('the OpenAPI document is read-only, with or without a key', async () => {
  const acme = await reader
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    for (const response of [
      await service.request(method, '/openapi.json', {}),
      await acme(method, '/openapi.json', {}),
    ]) {
      assert.equal(`${response.status} ${response.body.error.code}`, '405 method_not_allowed')
      assert.equal(response.headers.allow, 'GET, HEAD')
    }
  }
  assertRefused(await service.request('GET', '/openapi.json/', {}), 'unauthorized')
})

test('the OpenAPI document has every endpoint, method, error code and field code', () => {
  const listed = operations.map(({ path, method }) => `${method} ${path}`)
  const methods = ['GET', 'POST', 'PUT', 'DELETE']
  assert.deepEqual(listed, [
    ...resources.flatMap(({ name }) => methods.map((method) => `${method} /${name}.php`)),
    'POST /bulk.php',
    'GET /imports.php',
    'POST /imports.php',
    'DELETE /imports.php',
    'GET /import_mappings.php',
    'DELETE /import_mappings.php',
    'GET /changes.php',
    'POST /undo.php',
    'GET /settings.php',
    'PUT /settings.php',
    ...methods.map((method) => `${method} /views.php`),
    'GET /me.php',
  ])
  const { ErrorCode, FieldCode } = document.components.schemas
  assert.deepEqual(ErrorCode!.enum, Object.keys(problems))
  assert.deepEqual(FieldCode!.enum, Object.keys(fieldCodes))
  const used = new Set(
    [...text.matchAll(/"x-error-codes":\[(.*?)\]/g)].flatMap(([, codes]) => JSON.parse(`[${codes}]`)),
  )
  // No endpoint lists the code of IDEMPOTENCY_REUSE=reject, `not_applied`, which only operations can have, or the code
  // of the operator's endpoints.
  const unlisted = ['idempotency_key_reused', 'not_applied', 'service_unavailable']
  assert.deepEqual([...used, ...unlisted].sort(), Object.keys(problems).sort())
})

test('the schemas in the OpenAPI document contain every field with its limits, default and choices', () => {
  const schema = (name: string): Json => document.components.schemas[name]
  assert.deepEqual(schema('NewCustomer').required, ['name'])
  assert.deepEqual(schema('NewEmployee').required, ['email'])
  const either = [{ required: ['customer_id'] }, { required: ['customer_external_id'] }]
  assert.deepEqual(schema('NewEmployee').allOf, [{ anyOf: either }])
  assert.equal(schema('NewEmployee').properties.department.maxLength, 50)
  assert.equal(schema('NewCustomer').properties.name.minLength, 1)
  assert.equal(schema('NewHardwareRecord').properties.purchase_cost.minimum, 0)
  assert.equal(schema('NewHardwareRecord').properties.status['x-default'], 'in_use')
  assert.match(schema('NewHardwareRecord').properties.status.description, /Default: `in_use`\./)
  assert.equal(schema('HardwareRecordChanges').properties.status['x-default'], undefined)
  assert.deepEqual(schema('HardwareRecord').properties.status.enum.slice(0, 2), ['in_use', 'spare'])
  for (const [index, name] of ['Customer', 'Employee', 'HardwareRecord'].entries()) {
    const names = Object.keys(resources[index]!.fields)
    assert.deepEqual(schema(name).required, ['id', ...names, 'created_at', 'updated_at'])
    const stock = ['stock_customer_id', 'stock_customer_external_id']
    const writeOnly = [[], ['customer_external_id'], ['employee_external_id', ...stock, 'assign_tag']][index]!
    const writable = [...names.filter((field) => field !== 'last_seen_at'), ...writeOnly]
    assert.deepEqual(Object.keys(schema(`New${name}`).properties), writable)
    assert.deepEqual(Object.keys(schema(`${name}Changes`).properties), writable)
  }
})

test('the schemas of request bodies do not use the keyword `default`, because generated clients would require members with a default', () => {
  const bodies = Object.entries(document.components.schemas).filter(([name]) => /^New|Changes$/.test(name))
  assert.equal(bodies.length, 9)
  for (const [name, schema] of bodies) assert.doesNotMatch(JSON.stringify(schema), /"default"/, name)
})

test('in the OpenAPI document, the required members distinguish GET responses with a record, a list and a history', () => {
  const schema = (name: string): Json => document.components.schemas[name]
  const results = { Customer: ['', 'Page'], Employee: ['', 'Assignments', 'Page'] }
  for (const [name, ends] of Object.entries({ ...results, HardwareRecord: results.Employee })) {
    const names = ends.map((end) => name + end)
    const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}` }))
    assert.deepEqual(schema(`${name}Result`).oneOf, refs)
    for (const name of names) {
      const distinctive = schema(name).required.filter((member: string) =>
        names.every((other) => other === name || !(member in schema(other).properties)),
      )
      assert.ok(distinctive.length > 0, `${name} requires a member that the other results lack`)
    }
  }
})

test('the schemas of responses are open, and each list of codes says so', () => {
  const { schemas, responses } = document.components
  assert.doesNotMatch(
    JSON.stringify([document.paths, schemas, responses, document['x-unlisted' as 'paths']]),
    /"additionalProperties":false/,
  )
  for (const name of ['ErrorCode', 'FieldCode'])
    assert.match((schemas[name] as Json).description, /new codes may be added/)
  const lists = [...text.matchAll(/"code":\{"enum":\[[^\]]*\](,"description":"([^"]*)")?/g)]
  assert.ok(lists.length > 10)
  for (const [list, , description = ''] of lists) assert.match(description, /new codes may be added/, list)
})

test('the document says what may change within version 1, and how something ends', () => {
  const { description } = document.info as Json
  for (const part of [
    /new paths/,
    /optional parameters/,
    /new members/,
    /enumerations/,
    /new codes/,
    /`Deprecation`/,
    /`Sunset`/,
    /twelve months/,
  ])
    assert.match(description, part)
})

test('the document has a contact, an example of each id, and neither HEAD operations nor the operator’s endpoints', () => {
  const { paths, info } = document as Json
  assert.ok(info.contact.name)
  for (const [path, item] of Object.entries<Json>(paths)) {
    assert.deepEqual([item.head, item.servers], [undefined, undefined], path)
    for (const { parameters = [] } of Object.values<Json>(item))
      for (const parameter of parameters) if (parameter.name === 'id') assert.equal(parameter.example, 1, path)
  }
  for (const path of ['/healthz', '/readyz', '/metrics']) assert.equal(paths[path], undefined)
})

test('links in the OpenAPI document lead to operations and parameters that exist', () => {
  const linked = operations.flatMap(({ path, operation }) =>
    Object.values(operation.responses).flatMap((response: Json) =>
      Object.values<Json>(response.links ?? {}).map((link) => ({ path, link })),
    ),
  )
  assert.equal(linked.length, 3 * 4) // read, update and delete after POST; the next page after GET
  for (const { path, link } of linked) {
    const target = operations.find(({ operation }) => operation.operationId === link.operationId)
    assert.equal(target?.path, path)
    const names = target.operation.parameters!.map((parameter: Json) => lookUp(parameter).name)
    for (const name of Object.keys(link.parameters)) assert.ok(names.includes(name), `${link.operationId} ${name}`)
  }
})

test('the OpenAPI document describes the URL, limits, settings and resources of this service', async () => {
  const describe = async (settings: Environment, resources?: Resource[]) => {
    const { service, environment } = await startService(settings, resources && { resources })
    const url = `${(environment.API_BASE_PATH ?? '/api/v1').replace(/\/$/, '')}/openapi.json`
    const { payload, headers } = await service.server.inject({ url, headers: { origin: 'https://app.acme.test' } })
    assert.equal(headers['access-control-allow-origin'], settings.CORS_ORIGINS)
    assert.deepEqual(await lint(payload), [])
    return JSON.parse(payload) as Json
  }
  assert.deepEqual(
    document.servers.map(({ url }) => url),
    ['/api/v1'],
  )
  const [root, open] = await Promise.all([
    describe({ API_BASE_PATH: '/' }),
    describe(
      { PUBLIC_URL: 'https://assets.acme.test', IDEMPOTENCY_REUSE: 'reject', CORS_ORIGINS: 'https://app.acme.test' },
      [
        {
          name: 'parking_lots',
          singular: 'parking lot',
          fields: {
            spaces: { kind: 'integer', min: 2, required: true },
            is_covered: { kind: 'boolean', default: false, since: 2 }, // versions must be consecutive
          },
        },
      ],
    ),
  ])
  assert.equal(root.servers[0].url, '/')
  assert.equal(open.servers[0].url, 'https://assets.acme.test/api/v1')
  assert.ok(document.components.responses.TooManyRequests)
  assert.match(document.info.description, /A key may send 100000 requests a minute/)
  assert.doesNotMatch(root.info.description, /requests a minute/)
  assert.ok(root.components.responses.TooManyRequests) // because a key can have its own limit
  assert.deepEqual(open.paths['/parking_lots.php'].post.responses[422]['x-error-codes'], [
    'validation_failed',
    'idempotency_key_reused',
  ])
  assert.deepEqual(open.components.schemas.NewParkingLot.required, ['spaces'])
})

test('every scope that the OpenAPI document lists for an operation permits the operation, and no other scope does', async () => {
  await makeTenant(service.environment, 'scopes')
  for (const scope of scopesOf(endpointsOf(resources))) {
    const client = service.client(await createKey(service.environment, 'scopes', [scope]))
    for (const { path, method, operation } of operations) {
      const listed = operation['x-required-scopes']!
      const isListed = listed.length === 0 || listed.includes(scope)
      const { status } = await client(method, `${path}?id=987654`, method === 'PUT' ? { notes: 'x' } : undefined)
      assert.equal(status !== 403, isListed, `${scope}: ${method} ${path} is ${status}`)
      for (const [parameter, scopes] of Object.entries(operation['x-parameter-scopes'] ?? {})) {
        const { status } = await client(method, `${path}?${parameter}=unknown`, {})
        assert.equal(status !== 403, isListed && scopes.includes(scope), `${scope}: ${method} ${path}?${parameter}`)
      }
    }
  }
})

test('in the OpenAPI document, PUT requires the update scope, and PUT by external id also requires the create scope', () => {
  const { 'x-required-scopes': required, 'x-parameter-scopes': more } = document.paths['/employees.php']!.put!
  assert.deepEqual(required, ['employees:update', 'employees:write', '*:write'])
  assert.deepEqual(more, { external_id: ['employees:create', 'employees:write', '*:write'] })
})

const operators = ['', '[ne]', '[in]', '[null]', '[gte]', '[gt]', '[lte]', '[lt]', '[contains]']

for (const { path, operation } of operations.filter(({ method }) => method === 'GET')) {
  test(`GET ${path} accepts every documented parameter and no others`, async () => {
    const parameters: Parameter[] = operation.parameters!.map((parameter: Json) => lookUp(parameter))
    const queries = parameters.filter(
      (parameter) => parameter.in === 'query' && !['id', 'external_id', 'cursor', 'history'].includes(parameter.name),
    )
    const acme = await reader
    for (const { name, schema } of queries) {
      const isBeyond = (value: string) => name === 'since' && value !== '0' // the tenant has no changes
      for (const value of samples(schema).filter((sample) => !isBeyond(sample))) {
        if (path === '/imports.php' && name === 'format') continue // requires an id
        const needed = ['fields', 'delimiter', 'for'].includes(name) ? '&format=csv' : ''
        const { status, text } = await acme('GET', `${path}?${name}=${encodeURIComponent(value)}${needed}`)
        assert.equal(status, 200, `${name}=${value}: ${text}`)
      }
    }
    const known = queries.map(({ name }) => name)
    const fields = parameters.flatMap((parameter) => parameter['x-filter']?.field ?? [])
    const candidates = ['colour', 'page', ...new Set(fields)].flatMap((field) =>
      operators.map((operator) => field + operator),
    )
    for (const name of candidates.filter(
      (candidate) => !['id', 'external_id'].includes(candidate) && !known.includes(candidate),
    )) {
      assertRefused(await acme('GET', `${path}?${name}=1`), 'invalid_request', name)
    }
  })
}

function lookUp(parameter: Json): Json {
  return parameter.$ref ? document.components.parameters[parameter.$ref.split('/').at(-1)] : parameter
}

const formats: Record<string, string> = {
  email: 'a@b.c',
  date: '2026-03-02',
  'date-time': '2026-03-02T08:30:00.000Z',
  uuid: '019cad82-10c0-7b3e-9c5f-2d1a6e8b4f70',
}

/** Returns valid values for a schema, as they appear in a query. */
function samples(schema: Json): string[] {
  if (schema.type === 'array') return [samples(schema.items).join(','), samples(schema.items)[0]!]
  if (schema.enum) return schema.enum
  if (schema.examples) return schema.examples
  if (schema.type === 'boolean') return ['true', 'false']
  if (schema.type === 'string') return [formats[schema.format] ?? 'x']
  return [schema.minimum, schema.maximum].map(String)
}

function exampleBodies(operation: OpenApiOperation): Record<string, Example> {
  return Object.values<Json>(operation.requestBody!.content)[0].examples
}

/** Returns an operation's example responses, except those without an example request. */
function examplesOf({ responses }: OpenApiOperation): { name: string; status: number; example: Example }[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    const contents = Object.values<Json>((response as Json).content ?? {})
    const examples = contents.flatMap((content) => Object.entries<Example>(content.examples ?? {}))
    return examples.flatMap(([name, example]) =>
      example['x-request'] ? { name, status: Number(status), example } : [],
    )
  })
}

const differing = [
  'created_at',
  'updated_at',
  'finished_at',
  'at',
  'from',
  'api_key_id',
  'request_id',
  'change_set',
  'details',
  'etag',
  'remaining',
  'reset',
  'server_time',
]

/** Removes the parts of a response that differ between runs or between engines. */
function comparable(body: Json): Json {
  const isKeyId = (name: string, value: unknown) => name === 'id' && typeof value === 'string'
  return JSON.parse(
    JSON.stringify(body, (name, value) => (differing.includes(name) || isKeyId(name, value) ? typeof value : value)),
  )
}

/** Returns the examples for a method. For each endpoint, refusals come first, because they change nothing. */
function examplesBy(method: string) {
  return operations
    .filter((operation) => operation.method === method)
    .flatMap(({ path, operation }) => {
      const examples = examplesOf(operation).map((operation) => ({ method, path, ...operation }))
      const hasInput =
        operation.requestBody || operation.parameters!.some((parameter: Json) => lookUp(parameter).in === 'query')
      assert.ok(examples.length >= (hasInput ? 4 : 2), `${method} ${path}`)
      return examples.toSorted((a, b) => b.status - a.status)
    })
}

const isRefusal = ({ status }: { status: number }) => status >= 400

test('each example request in the OpenAPI document gets its example response', async () => {
  await makeTenant(service.environment, 'acme')
  const acme = service.client(await createExampleKey())
  const deletions = examplesBy('DELETE')
  const isOfRecords = ({ path }: { path: string }) => resources.some(({ name }) => path === `/${name}.php`)
  const isUndone = ({ path, name }: { path: string; name: string }) => path === '/undo.php' && name === 'undone'
  const [creations, actions] = [
    examplesBy('POST').filter(isOfRecords),
    examplesBy('POST').filter((example) => !isOfRecords(example)),
  ]
  const [undone, first] = [
    actions.filter(isUndone),
    actions.filter((example) => ['/undo.php', '/imports.php'].includes(example.path) && !isUndone(example)),
  ]
  const otherActions = actions.filter((example) => ![...undone, ...first].includes(example))
  const isOfViews = ({ path }: { path: string }) => path === '/views.php'
  const all = [...creations, ...first, ...examplesBy('GET'), ...examplesBy('PUT'), ...otherActions]
  const viewExamples = ['POST', 'GET', 'PUT'].flatMap(examplesBy).filter(isOfViews)
  const beforeDeletions = [...all.filter((example) => !isOfViews(example)), ...viewExamples]
  let newestChangeSet: string | undefined
  for (const { method, path, name, status, example } of [
    ...beforeDeletions,
    ...deletions.filter(isRefusal),
    ...deletions.filter((example) => !isRefusal(example)).toReversed(),
    ...undone,
  ]) {
    const { query = '', headers, body: exampleBody, text } = example['x-request']!
    const body = withChangeSets(exampleBody, {
      [exampleUndo.undone]: newestChangeSet,
      [exampleChangeSet]: await firstSet(acme),
    })
    const send = () => acme(method, `${path}?${query}`, text ?? body, headers)
    const response = await (path === '/imports.php' && method === 'GET' ? whenChecked(send) : send())
    const label = `${name} of ${method} ${path}`
    const actual = typeof example.value === 'string' ? response.text : comparable(response.body)
    assert.deepEqual([response.status, actual], [status, comparable(example.value)], label)
    newestChangeSet = response.headers['change-set'] ?? newestChangeSet
  }
})

async function firstSet(client: Client): Promise<string | undefined> {
  return (await client('GET', '/changes.php?limit=1')).body.data[0]?.change_set
}

/** If the body contains the id of an example change set, replaces it with the real id from `sets`. */
function withChangeSets(body: Json, sets: Record<string, string | undefined>): Json {
  const real = sets[body?.change_set]
  return real === undefined ? body : { ...body, change_set: real }
}

/** Repeats the request until the background job has checked the import of the examples. */
function whenChecked(send: () => Promise<ReceivedResponse>): Promise<ReceivedResponse> {
  return eventually('the import is checked', async () => {
    const response = await send()
    return !response.text.includes('"state":"checking"') && response
  })
}

/** Creates the key that the example for /me.php describes. */
async function createExampleKey(): Promise<string> {
  const { name, scopes } = exampleKey
  const options = ['--name', name, '--rate-limit', '1000', ...scopes.flatMap((scope) => ['--scope', scope])]
  const created = await command(service.environment, 'key', 'create', 'acme', ...options)
  assert.equal(created.exitCode, 0, created.stderr)
  return created.stdout.trim()
}

test('each example body in the OpenAPI document is the body of an example request', () => {
  const bodies = operations.flatMap(({ path, operation }) =>
    operation.requestBody
      ? Object.entries(exampleBodies(operation)).map(([name, { value }]) => ({ path, operation, name, value }))
      : [],
  )
  assert.equal(bodies.length, 14)
  for (const { path, operation, name, value } of bodies) {
    const shown = examplesOf(operation).find((example) => example.name === name)
    const { body, text } = shown!.example['x-request']!
    assert.deepEqual(body ?? text, value, `${path} ${name}`)
  }
})

test('the example refusals in the OpenAPI document equal the service’s actual responses', async () => {
  const limitedService = await startService({ RATE_LIMIT_PER_MINUTE: '1' })
  const [token, limited] = [await makeTenant(service.environment, 'shared'), await limitedService.tenant('acme')]
  const reader = service.client(await createKey(service.environment, 'shared', ['hardware:read']))
  await limited('GET', '/customers.php')
  const responses = {
    unauthorized: await service.request('GET', '/customers.php', {}),
    invalid_key_format: await service.client('tdk_short')('GET', '/customers.php'),
    invalid_key: await service.client(token.slice(0, -1))('GET', '/customers.php'),
    forbidden: await reader('GET', '/customers.php'),
    rate_limited: await limited('GET', '/customers.php'),
  }
  const examples = Object.assign(
    {},
    ...Object.values(document.components.responses).map(
      ({ content }: Response) => (content as Json)['application/json'].examples,
    ),
  )
  const withoutFigures = (body: Json) => JSON.stringify(body).replaceAll(/\d+(T|(?=[-:Z ]))/g, '1')
  for (const [code, { body }] of Object.entries(responses))
    assert.equal(withoutFigures(body), withoutFigures(examples[code].value), code)
})
