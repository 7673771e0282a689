// Tests the error responses that endpoints have in common.

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type Endpoint, methodsOf, scopesOf } from '../../../src/api/endpoint.ts'
import { endpointsOf } from '../../../src/api/endpoints/all.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { type Client, command, createKey, makeTenant } from '../service.ts'
import { assertRefused, type Code, keyId, statuses, type TestService } from './shared-errors.ts'

/** Registers the tests for each endpoint. The service must have a body limit of 4096 bytes and no rate limit. */
export function testRefusals(service: TestService, endpoints: readonly Endpoint[]): void {
  for (const [path, endpointsOfPath] of Map.groupBy(endpoints, (endpoint) => endpoint.path))
    describe(path, () => registerRefusals(service, path, endpointsOfPath))
}

/** A path with its endpoints, and a tenant to send requests for. */
type Target = {
  service: TestService
  slug: string
  path: string
  endpoints: readonly Endpoint[]
  send: Client
  /** Sends a request to the path, and checks that it is refused with the code. The request has a query instead of a
   *  URL. */
  assertRefusedWith(code: Code, ...request: Parameters<Client>): ReturnType<Client>
}

function registerRefusals(service: TestService, path: string, endpoints: readonly Endpoint[]): void {
  const slug = `refused-${path.replace(/\W|_|php/g, '')}`
  const allowed = [...new Set(endpoints.flatMap(methodsOf))]
  let client: Client
  before(async () => {
    client = await service.tenant(slug)
  })
  const send: Client = (...request) => client(...request)
  const assertRefusedWith = async (code: Code, ...[method, query, body, headers]: Parameters<Client>) => {
    const response = await send(method, path + query, body, headers)
    const request = `${method} ${path}${query} ${JSON.stringify(body)}`
    if (method === 'HEAD') assert.equal(response.status, statuses[code], request)
    else assertRefused(response, code, request, allowed)
    return response
  }
  const target = { service, slug, path, endpoints, send, assertRefusedWith }
  testKeys(target)
  testScopes(target)
  testMethods(target)
  testIds(target)
  testBodies(target)
  testFields(target)
  testIdempotencyKeys(target)
  testActions(target)
  testPaths(target)
}

function testKeys({ service, slug, path }: Target): void {
  test('every method requires a valid key of an active tenant', async () => {
    for (const [authorization, code] of await rejectedCredentials(service, slug)) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
        assertRefused(await service.request(method, path, headers), code, `${method} ${authorization}`)
      }
    }
  })
}

/** Authorization headers that are rejected, with their error codes. */
async function rejectedCredentials(service: TestService, slug: string): Promise<[string | undefined, Code][]> {
  const { environment } = service
  const [good, revoked, deleted] = [
    await createKey(environment, slug),
    await createKey(environment, slug),
    await createKey(environment, slug),
  ]
  const suspended = await makeTenant(environment, `${slug}-off`)
  await command(environment, 'key', 'revoke', keyId(revoked))
  await command(environment, 'key', 'delete', keyId(deleted))
  await command(environment, 'tenant', 'suspend', `${slug}-off`)
  const wrongLastCharacter = good.slice(0, -1) + (good.endsWith('0') ? '1' : '0')
  return [
    [undefined, 'unauthorized'],
    ['', 'unauthorized'],
    [good, 'unauthorized'],
    [`Basic ${good}`, 'unauthorized'],
    ['Bearer abc', 'invalid_key_format'],
    [`Bearer tdk_${'x'.repeat(35)}`, 'invalid_key_format'],
    [`Bearer ${good.replace('tdk_', 'key_')}`, 'invalid_key_format'],
    [`Bearer tdk_${'x'.repeat(36)}`, 'invalid_key'],
    [`Bearer ${wrongLastCharacter}`, 'invalid_key'],
    [`Bearer ${good}0`, 'invalid_key'],
    [`Bearer ${deleted}`, 'invalid_key'],
    [`Bearer ${revoked}`, 'key_revoked'],
    [`Bearer ${suspended}`, 'tenant_suspended'],
  ]
}

function testScopes({ service, slug, path, endpoints }: Target): void {
  test('every method of an endpoint refuses a key that lacks the endpoint’s scope', async () => {
    for (const endpoint of endpoints.filter(({ scope }) => scope)) {
      const { resource } = endpoint.scope!
      const otherScopes = scopesOf(endpointsOf(resources)).filter(
        (scope) => ![resource, '*'].includes(scope.split(':')[0]!),
      )
      const clientWithoutScope = service.client(await createKey(service.environment, slug, otherScopes))
      for (const method of methodsOf(endpoint)) {
        const query = withAction(endpoint, '?id=1')
        const response = await clientWithoutScope(method, path + query, method === 'HEAD' ? undefined : {})
        if (method === 'HEAD') assert.equal(response.status, 403)
        else assertRefused(response, 'forbidden', method)
      }
    }
  })
}

function testMethods({ endpoints, assertRefusedWith }: Target): void {
  const allowed = [...new Set(endpoints.flatMap(methodsOf))]
  test('an unsupported method is refused with the list of supported methods', async () => {
    const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']
    for (const method of methods.filter((method) => !allowed.includes(method))) {
      await assertRefusedWith('method_not_allowed', method, '')
      await assertRefusedWith('method_not_allowed', method, '?id=1', { name: 'x' })
    }
  })
}

function testIds({ endpoints, assertRefusedWith }: Target): void {
  const withId = endpoints.filter((endpoint) => canRefuse(endpoint, 'missing_id'))
  testEach(withId, 'a request for one record is refused if it has no id', async (endpoint) => {
    const { method } = endpoint
    const withoutId = method === 'GET' || isChosenById(endpoint) ? ['?id='] : ['', '?', '?id', '?id=', '?ID=1']
    for (const query of withoutId)
      await assertRefusedWith('missing_id', method, withAction(endpoint, query), bodyOf(method))
  })

  testEach(
    withId,
    'an id that is not an integer, or is given twice, is refused with a message that names the parameter',
    async (endpoint) => {
      const { method } = endpoint
      for (const id of ['abc', '1.5', '1e3', '0x1', '1,2', 'null', '1&id=2', '1&id=1']) {
        const query = withAction(endpoint, `?id=${id}`)
        const { body } = await assertRefusedWith('invalid_request', method, query, bodyOf(method))
        assert.match(body.error.message, /\bid\b/)
      }
    },
  )

  const ofRecord = withId.filter((endpoint) => canRefuse(endpoint, 'not_found'))
  testEach(ofRecord, 'a request with an id that no record has is refused as not found', async (endpoint) => {
    for (const id of ['0', '-987654321', '987654321', '9007199254740993', '-9007199254740993', '9'.repeat(40)]) {
      for (const method of methodsOf(endpoint))
        await assertRefusedWith('not_found', method, withAction(endpoint, `?id=${id}`), bodyOf(method))
    }
  })
}

function testBodies({ endpoints, assertRefusedWith }: Target): void {
  const withBody = endpointsWithBody(endpoints)
  testEach(withBody, 'a body that is not JSON is refused', async (endpoint) => {
    const invalid = ['', ' ', '{', 'name=x', '{"name":"x",}', "{'name':'x'}", '{} {}']
    for (const body of [...invalid, Buffer.from('{"name":"\xff"}', 'latin1')])
      await assertRefusedWith('invalid_json', endpoint.method, queryOf(endpoint), body)
  })

  testEach(withBody, 'a body that is not a JSON object, or has another Content-Type, is refused', async (endpoint) => {
    const { method } = endpoint
    for (const body of ['[]', '[{}]', 'null', '1', '"name"', 'true'])
      await assertRefusedWith('invalid_request', method, queryOf(endpoint), body)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
      await assertRefusedWith('invalid_request', method, queryOf(endpoint), '{"notes":"x"}', { 'content-type': type })
  })

  testEach(
    withBody,
    'a body that exceeds the size limit is refused, and a body of exactly that size is read',
    async (endpoint) => {
      const bodyOfSize = (bytes: number) => JSON.stringify({ unknown: 'x'.repeat(bytes - 14) })
      assert.equal(bodyOfSize(4096).length, 4096)
      const code = (['no_fields', 'validation_failed'] as const).find((candidate) => canRefuse(endpoint, candidate))
      if (code) await assertRefusedWith(code, endpoint.method, queryOf(endpoint), bodyOfSize(4096))
      await assertRefusedWith('payload_too_large', endpoint.method, queryOf(endpoint), bodyOfSize(4097))
    },
  )
}

function testFields({ endpoints, assertRefusedWith }: Target): void {
  const withBody = endpointsWithBody(endpoints)
  const updating = withBody.filter((endpoint) => canRefuse(endpoint, 'no_fields'))
  testEach(updating, 'an update that contains no updatable field is refused', async (endpoint) => {
    const { method } = endpoint
    const query = withAction(endpoint, '?id=1')
    await assertRefusedWith('no_fields', method, query, {})
    await assertRefusedWith('no_fields', method, query, { id: 2, created_at: 'x', updated_at: 'x', colour: 'red' })
  })

  const validating = withBody.filter((endpoint) => canRefuse(endpoint, 'validation_failed'))
  testEach(
    validating,
    'the response to an invalid body lists its invalid fields with codes and messages',
    async (endpoint) => {
      const isUpdate = canRefuse(endpoint, 'no_fields')
      const body = isUpdate ? { name: 5 } : {}
      const { errors, fields } = (
        await assertRefusedWith('validation_failed', endpoint.method, queryOf(endpoint), body)
      ).body
      assert.ok(fields.length > 0)
      assert.deepEqual(Object.keys(errors), fields)
      for (const name of fields) {
        assert.deepEqual(Object.keys(errors[name]), ['code', 'message'])
        assert.equal(errors[name].code, isUpdate ? 'invalid_text' : 'required')
        assert.equal(typeof errors[name].message, 'string')
      }
    },
  )
}

function testIdempotencyKeys({ endpoints, assertRefusedWith }: Target): void {
  testEach(changingEndpoints(endpoints), 'an Idempotency-Key must be a UUID', async (endpoint) => {
    for (const key of ['', 'x', '12345678-1234-1234-1234-12345678901', '"12345678-1234-1234-1234-123456789012']) {
      const { body } = await assertRefusedWith(
        'invalid_request',
        endpoint.method,
        withAction(endpoint, '?id=1'),
        { name: 'x' },
        { 'idempotency-key': key },
      )
      assert.match(body.error.message, /Idempotency-Key/)
    }
  })
}

function testActions({ endpoints, assertRefusedWith }: Target): void {
  testEach(changingEndpoints(endpoints), 'a request with an unknown action is refused', async ({ method }) => {
    for (const query of ['?action=', '?action=none', '?id=1&action=none', '?action=none&action=none']) {
      const { body } = await assertRefusedWith('invalid_request', method, query, bodyOf(method))
      assert.match(body.error.message, /\baction\b/)
    }
  })
}

function testPaths({ path, send, assertRefusedWith }: Target): void {
  test('paths that only resemble the path of an endpoint are not found', async () => {
    for (const suffix of ['/', 'x', '/1', '%00', ';id=1']) await assertRefusedWith('not_found', 'GET', suffix)
    assertRefused(await send('GET', path.toUpperCase()), 'not_found')
  })
}

function changingEndpoints(endpoints: readonly Endpoint[]) {
  return endpoints.filter((endpoint) => 'operation' in endpoint)
}

function endpointsWithBody(endpoints: readonly Endpoint[]) {
  return changingEndpoints(endpoints).filter(({ hasBody }) => hasBody)
}

/** Registers one test for all these endpoints, if there are any. */
function testEach<E extends Endpoint>(
  endpoints: readonly E[],
  title: string,
  run: (endpoint: E) => Promise<void>,
): void {
  if (endpoints.length === 0) return
  test(title, async () => {
    for (const endpoint of endpoints) await run(endpoint)
  })
}

function canRefuse(endpoint: Endpoint, code: Code): boolean {
  return endpoint.docs(resources).errors.includes(code)
}

/** Whether a request without an id is one for another endpoint. */
function isChosenById(endpoint: Endpoint): boolean {
  return 'operation' in endpoint && endpoint.chosenBy === 'id'
}

/** The query for an endpoint, with an id if the endpoint requires one. */
function queryOf(endpoint: Endpoint): string {
  return withAction(endpoint, canRefuse(endpoint, 'missing_id') ? '?id=1' : '')
}

/** Adds the action of the endpoint to the query, and the parameters that the action requires. */
function withAction(endpoint: Endpoint, query: string): string {
  if (!('operation' in endpoint) || endpoint.action === undefined) return query
  const { parameters = [] } = endpoint.docs(resources)
  const required = parameters.flatMap((parameter) =>
    'name' in parameter && parameter.required && parameter.name !== 'id'
      ? `${parameter.name}=${parameter.schema.enum?.[0]}`
      : [],
  )
  const chosen = endpoint.chosenBy ? [] : [`action=${endpoint.action}`]
  return [query || '?', ...chosen, ...required].join('&')
}

/** A request body that changes a record. Some endpoints ignore it. */
function bodyOf(method: string): object | undefined {
  return method === 'HEAD' ? undefined : { name: 'x', notes: 'x' }
}
