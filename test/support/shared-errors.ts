// How a refusal looks (§7, contract §8), and the refusals that every endpoint has in common.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { type Client, command, createKey, engine, makeTenant, type Response, type startService } from './service.ts'

export type TestService = Awaited<ReturnType<typeof startService>>

/** Every code with its status, copied by hand from §7 and the contract. */
export const statuses = {
  unauthorized: 401,
  invalid_key_format: 401,
  invalid_key: 401,
  key_revoked: 401,
  tenant_suspended: 403,
  tenant_unavailable: 503,
  forbidden: 403,
  rate_limited: 429,
  method_not_allowed: 405,
  invalid_json: 400,
  payload_too_large: 413,
  headers_too_large: 431,
  query_too_slow: 503,
  server_busy: 503,
  service_unavailable: 503,
  internal_error: 500,
  not_found: 404,
  missing_id: 400,
  no_fields: 400,
  invalid_request: 400,
  validation_failed: 422,
  invalid_customer: 422,
  invalid_employee: 422,
  conflict: 409,
  precondition_failed: 412,
  idempotency_key_reused: 422,
} as const

export type Code = keyof typeof statuses

/** The whole of what `details` of a conflict says: the engine's own sentence. */
export const foreignKeySentence = {
  sqlite: /^FOREIGN KEY constraint failed$/,
  postgres:
    /^update or delete on table "\w+" violates (RESTRICT setting of )?foreign key constraint "\w+" on table "\w+"$/,
}[engine]

/** Codes that an assertion has met. */
export const seenCodes = new Set<Code>()

const members: Partial<Record<Code, string[]>> = { validation_failed: ['errors', 'fields'], conflict: ['details'] }
const retryAfter: Record<number, string> = { 429: '60', 503: '5' }

/** The whole of a refusal: status, envelope without anything besides, common headers, Retry-After and Allow. */
export function assertRefused(response: Response, code: Code, where = ''): void {
  const status = statuses[code]
  assert.equal(`${response.status} ${response.body?.error?.code}`, `${status} ${code}`, where)
  const { message } = response.body.error
  assert.deepEqual(response.body.error, { code, message, status })
  assert.ok(typeof message === 'string' && message.length > 10)
  assert.deepEqual(Object.keys(response.body), ['error', ...(members[code] ?? [])])
  assertCommonHeaders(response)
  assert.equal(response.headers['retry-after'], retryAfter[status])
  const methods = response.headers.allow?.split(', ').sort()
  assert.deepEqual(methods, code === 'method_not_allowed' ? ['DELETE', 'GET', 'HEAD', 'POST', 'PUT'] : undefined)
  seenCodes.add(code)
}

export function assertCommonHeaders(response: Response): void {
  assert.match(response.headers['x-request-id'] ?? '', /^[\x21-\x7e]{1,128}$/)
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(response.headers['cache-control'], 'no-store')
  assert.equal(response.headers['x-content-type-options'], 'nosniff')
}

/** The id that commands name a key by: the ten characters after the prefix (contract §4). */
export function keyId(token: string): string {
  return token.slice(4, 14)
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']
const changing = ['POST', 'PUT', 'DELETE']

/** Registers the refusals of one endpoint as tests. The service must have a body limit of 4096 bytes, no rate limit. */
export function testRefusals(service: TestService, path: string): void {
  describe(path, () => registerRefusals(service, path))
}

function registerRefusals(service: TestService, path: string): void {
  const slug = `refused-${path.replace(/\W|php/g, '')}`
  let client: Client
  let bad: [authorization: string | undefined, Code][]
  before(async () => {
    client = await service.tenant(slug)
    bad = await rejectedCredentials(service, slug)
  })
  const refused = async (code: Code, ...[method, query, body, headers]: Parameters<Client>) => {
    const response = await client(method, path + query, body, headers)
    const where = `${method} ${path}${query} ${JSON.stringify(body)}`
    if (method === 'HEAD') assert.equal(response.status, statuses[code], where)
    else assertRefused(response, code, where)
    return response
  }

  test('every method needs a usable key of an active tenant', async () => {
    for (const [authorization, code] of bad) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
        assertRefused(await service.request(method, path, headers), code, `${method} ${authorization}`)
      }
    }
  })

  test('a method that is not supported is refused with the list of those that are', async () => {
    for (const method of ['PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      await refused('method_not_allowed', method, '')
      await refused('method_not_allowed', method, '?id=1', { name: 'x' })
    }
  })

  test('a key without the scope is forbidden, whatever the method', async () => {
    const resource = path.slice(1, -4)
    const other = ['customers', 'employees', 'hardware'].filter((name) => name !== resource)
    const scopes = other.flatMap((name) => [`${name}:read`, `${name}:write`])
    const stranger = service.client(await createKey(service.environment, slug, scopes))
    for (const method of methods.filter((method) => method !== 'HEAD')) {
      assertRefused(await stranger(method, `${path}?id=1`, {}), 'forbidden', method)
    }
    assert.equal((await stranger('HEAD', path)).status, 403)
  })

  test('PUT, DELETE and GET ?id= need the id', async () => {
    for (const method of ['PUT', 'DELETE']) {
      for (const query of ['', '?', '?id', '?id=', '?ID=1']) await refused('missing_id', method, query, { notes: 'x' })
    }
    await refused('missing_id', 'GET', '?id=')
  })

  test('an id that is no integer, or is given twice, is refused with a hint', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      for (const id of ['abc', '1.5', '1e3', '0x1', '1,2', 'null', '1&id=2', '1&id=1']) {
        const { body } = await refused('invalid_request', method, `?id=${id}`, { notes: 'x' })
        assert.match(body.error.message, /\bid\b/)
      }
    }
  })

  test('an integer that no record has is not found', async () => {
    for (const id of ['0', '-1', '987654321', '9007199254740993', '-9007199254740993', '9'.repeat(40)]) {
      for (const method of ['GET', 'HEAD', 'DELETE']) await refused('not_found', method, `?id=${id}`)
      await refused('not_found', 'PUT', `?id=${id}`, { notes: 'x' })
    }
  })

  test('a body that is not JSON is refused', async () => {
    const wrong = [
      '',
      ' ',
      '{',
      'name=x',
      '{"name":"x",}',
      "{'name':'x'}",
      '{} {}',
      Buffer.from('{"name":"\xff"}', 'latin1'),
    ]
    for (const body of wrong) {
      await refused('invalid_json', 'POST', '', body)
      await refused('invalid_json', 'PUT', '?id=1', body)
    }
  })

  test('a body that is no JSON object, or says that it is no JSON, is refused', async () => {
    for (const body of ['[]', '[{}]', 'null', '1', '"name"', 'true']) {
      await refused('invalid_request', 'POST', '', body)
      await refused('invalid_request', 'PUT', '?id=1', body)
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      await refused('invalid_request', 'POST', '', '{"name":"x"}', { 'content-type': type })
      await refused('invalid_request', 'PUT', '?id=1', '{"notes":"x"}', { 'content-type': type })
    }
  })

  test('a body may be as large as the limit, and not a byte larger', async () => {
    const sized = (bytes: number) => JSON.stringify({ unknown: 'x'.repeat(bytes - 14) })
    assert.equal(sized(4096).length, 4096)
    await refused('validation_failed', 'POST', '', sized(4096))
    await refused('no_fields', 'PUT', '?id=1', sized(4096))
    await refused('payload_too_large', 'POST', '', sized(4097))
    await refused('payload_too_large', 'PUT', '?id=1', sized(4097))
  })

  test('an update must name a field that can be updated', async () => {
    await refused('no_fields', 'PUT', '?id=1', {})
    await refused('no_fields', 'PUT', '?id=1', { id: 2, created_at: 'x', updated_at: 'x', colour: 'red' })
  })

  test('invalid fields are named, each with a code and a message', async () => {
    for (const [method, query, body] of [['POST', '', {}] as const, ['PUT', '?id=1', { notes: 5 }] as const]) {
      const { errors, fields } = (await refused('validation_failed', method, query, body)).body
      assert.ok(fields.length > 0)
      assert.deepEqual(Object.keys(errors), fields)
      for (const name of fields) {
        assert.deepEqual(Object.keys(errors[name]), ['code', 'message'])
        assert.equal(errors[name].code, method === 'POST' ? 'required' : 'invalid_text')
        assert.equal(typeof errors[name].message, 'string')
      }
    }
  })

  test('an Idempotency-Key must be a UUID', async () => {
    for (const key of ['', 'x', '12345678-1234-1234-1234-12345678901', '"12345678-1234-1234-1234-123456789012']) {
      for (const method of changing) {
        const { body } = await refused('invalid_request', method, '?id=1', { name: 'x' }, { 'idempotency-key': key })
        assert.match(body.error.message, /Idempotency-Key/)
      }
    }
  })

  test('nothing is served next to the path', async () => {
    for (const next of ['/', 'x', '/1', '%00', ';id=1']) await refused('not_found', 'GET', next)
    assertRefused(await client('GET', path.toUpperCase()), 'not_found')
  })
}

/** What may stand in Authorization and opens nothing, with the code it gets. */
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
  const lastTurned = good.slice(0, -1) + (good.endsWith('0') ? '1' : '0')
  return [
    [undefined, 'unauthorized'],
    ['', 'unauthorized'],
    [good, 'unauthorized'],
    [`Basic ${good}`, 'unauthorized'],
    ['Bearer abc', 'invalid_key_format'],
    [`Bearer tdk_${'x'.repeat(35)}`, 'invalid_key_format'],
    [`Bearer ${good.replace('tdk_', 'key_')}`, 'invalid_key_format'],
    [`Bearer tdk_${'x'.repeat(36)}`, 'invalid_key'],
    [`Bearer ${lastTurned}`, 'invalid_key'],
    [`Bearer ${good}0`, 'invalid_key'],
    [`Bearer ${deleted}`, 'invalid_key'],
    [`Bearer ${revoked}`, 'key_revoked'],
    [`Bearer ${suspended}`, 'tenant_suspended'],
  ]
}

/** Every kind of request about the record at `path`, also those that are refused whatever the database holds. `reader` has
 *  a key that may only read. */
export function everyRequest(client: Client, reader: Client, path: string): Promise<Response>[] {
  return [
    client('GET', '/customers.php'),
    client('GET', path),
    client('GET', '/customers.php?id=9876'),
    client('GET', '/customers.php?id=x'),
    client('POST', '/customers.php', { name: 'x' }),
    client('POST', '/customers.php', { name: 'x' }, { 'idempotency-key': randomUUID() }),
    client('POST', '/customers.php', { name: '' }),
    client('POST', '/customers.php', '{'),
    client('POST', '/customers.php', { name: 'x' }, { 'idempotency-key': 'x' }),
    client('PUT', path, { name: 'x' }),
    client('PUT', '/customers.php', { name: 'x' }),
    client('DELETE', path),
    client('GET', '/nothing.php'),
    client('PATCH', path, {}),
    reader('POST', '/customers.php', { name: 'x' }),
  ]
}
