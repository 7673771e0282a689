// HTTP over raw sockets: every malformed request gets a response in the error envelope (contract §5), and the server
// continues to serve other requests.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, afterEach, test } from 'node:test'
import { readConfig } from '../../../src/config.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { checkAgainst, documentOf } from '../../support/api/openapi-check.ts'
import { eventually } from '../../support/eventually.ts'
import { type Json, makeTenant, networkClient, startProcess, temporaryDirectory } from '../../support/service.ts'

const environment = { DATA_DIR: temporaryDirectory(), BODY_LIMIT_BYTES: '100000' }
const token = await makeTenant(environment, 'acme')
const program = await startProcess(environment)
const { origin, pathname } = new URL(program.url)
const acme = networkClient(program.url, token)
const key = `Authorization: Bearer ${token}`
const path = `${pathname}/customers.php`
const check = checkAgainst(() => documentOf(readConfig({ ...environment, RATE_LIMIT_PER_MINUTE: '0' }), resources))

afterEach(async () => {
  const served = await acme('POST', '/customers.php', { name: 'Still served' })
  assert.equal(served.status, 201, 'the server still responds')
})

type ReceivedResponse = { status: number; headers: Record<string, string>; body: Json }

const sockets = new Set<Socket>()
after(() => sockets.forEach((socket) => void socket.destroy()))

/** Opens a connection. Each call of `next` returns the next response. */
async function open(url = program.url) {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  sockets.add(socket)
  let received: Buffer = Buffer.alloc(0)
  let isOver = false
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
  })
  socket.on('end', () => {
    isOver = true
  })
  socket.on('error', () => {
    isOver = true
  })
  await once(socket, 'connect')

  /** Returns the next response, or undefined if the connection ends first. Fails after 30 seconds. */
  async function next(): Promise<ReceivedResponse | undefined> {
    const hasResponse = () => parseResponse(received, isOver) !== undefined || isOver
    await eventually('a response or the end of the connection', hasResponse, { everyMs: 5 })
    const parsed = parseResponse(received, isOver)
    received = parsed?.rest ?? received
    return parsed?.response
  }

  return { socket, next, isOver: () => isOver }
}

/** Parses the first complete response. */
function parseResponse(received: Buffer, isOver: boolean): { response: ReceivedResponse; rest: Buffer } | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [first, ...lines] = received.subarray(0, end).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(': ')[0]!.toLowerCase(), line.replace(/^.*?: /, '')]),
  )
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first!)![1])
  const after = received.subarray(end + 4)
  const content = status < 200 ? { text: '', length: 0 } : contentOf(after, headers, isOver)
  if (!content) return undefined
  const body = content.text && headers['content-type']?.includes('json') ? JSON.parse(content.text) : undefined
  return { response: { status, headers, body }, rest: after.subarray(content.length) }
}

function contentOf(bytes: Buffer, headers: Record<string, string>, isOver: boolean) {
  if (headers['content-length'] !== undefined) {
    const length = Number(headers['content-length'])
    return bytes.length < length ? undefined : { text: bytes.subarray(0, length).toString(), length }
  }
  if (headers['transfer-encoding'] === 'chunked') {
    const [message, text] = /^[0-9a-f]+\r\n(.*?)\r\n0\r\n\r\n/is.exec(bytes.toString('latin1')) ?? []
    return message === undefined ? undefined : { text: text!, length: message.length }
  }
  return isOver ? { text: bytes.toString(), length: bytes.length } : undefined
}

/** Joins header lines and a body into a message. */
function messageOf(lines: string[], body = ''): string {
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Sends bytes, valid or not, and returns the response. */
async function send(...parts: (string | Buffer)[]): Promise<ReceivedResponse> {
  const connection = await open()
  for (const part of parts) connection.socket.write(part)
  const response = await connection.next()
  connection.socket.destroy()
  assert.ok(response, 'the connection ended without a response')
  return response
}

function assertRefused(response: ReceivedResponse, status: number, code: string): void {
  assert.equal(`${response.status} ${response.body?.error?.code}`, `${status} ${code}`)
  assert.deepEqual(response.body, { error: { code, message: response.body.error.message, status } })
  assert.ok(response.body.error.message.length > 10)
  assertCommonHeaders(response)
  // `check` is called without an operation, so it would refuse payload_too_large, which only operations document.
  const isOperationError = code === 'payload_too_large'
  if (!isOperationError) check('', '', { ...response, text: JSON.stringify(response.body) })
}

function assertCommonHeaders({ headers }: ReceivedResponse): void {
  assert.match(headers['x-request-id'] ?? '', /^[\x21-\x7e]{1,128}$/)
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['x-content-type-options'], 'nosniff')
}

const host = 'Host: x'
const json = 'Content-Type: application/json'

test('bytes that are not HTTP are refused with invalid_request', async () => {
  const lines = [
    'nonsense',
    `GET${path} HTTP/1.1`,
    `GET ${path} HTTP/9.9`,
    `GET ${path} HTTQ/1.1`,
    `GET  HTTP/1.1`,
    `get ${path} HTTP/1.1`,
    `NOSUCHMETHOD ${path} HTTP/1.1`,
    `G(T ${path} HTTP/1.1`,
    `GET ${path}\u0000 HTTP/1.1`,
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  ]
  for (const line of lines) assertRefused(await send(messageOf([line, host, key])), 400, 'invalid_request')
})

test('malformed headers are refused with invalid_request', async () => {
  const wrong = [
    'no colon',
    ': no name',
    'Bad Name: x',
    'X-Null: a\u0000b',
    'Content-Length: -1',
    'Content-Length: 1x',
    'Content-Length: 2\r\nContent-Length: 2',
    'Content-Length: 2\r\nContent-Length: 3',
    'Content-Length: 2\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked, gzip',
  ]
  for (const line of wrong) {
    assertRefused(await send(messageOf([`POST ${path} HTTP/1.1`, host, key, json, line], '{}')), 400, 'invalid_request')
  }
})

test('headers or a request line of more than 16 KiB are refused with headers_too_large', async () => {
  const long = 'x'.repeat(20_000)
  assertRefused(await send(messageOf([`GET ${path} HTTP/1.1`, host, key, `X-Long: ${long}`])), 431, 'headers_too_large')
  assertRefused(await send(messageOf([`GET ${path}?id=${long} HTTP/1.1`, host, key])), 431, 'headers_too_large')
  assertRefused(await send(messageOf([`GET /${long} HTTP/1.1`, host])), 431, 'headers_too_large')
  const many = Array.from({ length: 3000 }, (_, index) => `X-${index}: y`)
  assertRefused(await send(messageOf([`GET ${path} HTTP/1.1`, host, key, ...many])), 431, 'headers_too_large')
  const parameters = Array.from({ length: 10_000 }, (_, index) => `p${index}=1`).join('&')
  assertRefused(await send(messageOf([`GET ${path}?${parameters} HTTP/1.1`, host, key])), 431, 'headers_too_large')
})

test('a long URL and a URL with 10,000 empty parameters are read completely', async () => {
  const id = 'x'.repeat(15_000)
  assertRefused(await send(messageOf([`GET ${path}?id=${id} HTTP/1.1`, host, key])), 400, 'invalid_request')
  const unknownPath = await send(messageOf([`GET ${pathname}/${'y'.repeat(15_000)} HTTP/1.1`, host, key]))
  assertRefused(unknownPath, 404, 'not_found')
  const last = await send(messageOf([`GET ${path}?${'&'.repeat(10_000)}id=987654321 HTTP/1.1`, host, key]))
  assertRefused(last, 404, 'not_found')
  const twice = await send(messageOf([`DELETE ${path}?id=1&${'a&'.repeat(5000)}id=1 HTTP/1.1`, host, key]))
  assertRefused(twice, 400, 'invalid_request')
})

test('a second copy of a header that must be unique is refused, and a repeated X-Request-Id is replaced with a new one', async () => {
  const unknownKey = `Authorization: Bearer tdk_${'x'.repeat(48)}`
  for (const pair of [
    [key, key],
    [key, unknownKey],
    [unknownKey, key],
    [key, 'Authorization: Basic eA=='],
  ]) {
    const response = await send(messageOf([`GET ${path} HTTP/1.1`, host, ...pair]))
    assert.equal(response.status, 401)
    assertRefused(response, 401, response.body.error.code)
  }
  const body = '{"name":"Twice"}'
  const post = [`POST ${path} HTTP/1.1`, host, key, `Content-Length: ${body.length}`]
  const types = [json, 'Content-Type: text/plain']
  assertRefused(await send(messageOf([...post, ...types], body)), 400, 'invalid_request')
  assertRefused(await send(messageOf([...post, ...types.reverse()], body)), 400, 'invalid_request')
  const uuids = ['a', 'b'].map((digit) => `Idempotency-Key: 0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2${digit}`)
  assertRefused(await send(messageOf([...post, json, ...uuids], body)), 400, 'invalid_request')
  const ids = await send(messageOf([`GET ${path} HTTP/1.1`, host, key, 'X-Request-Id: a', 'X-Request-Id: b']))
  assert.equal(ids.status, 200)
  assert.ok(!['a', 'b'].includes(ids.headers['x-request-id']!))
})

test('an X-Request-Id of up to 128 visible ASCII characters is echoed, and any other is replaced', async () => {
  for (const [id, isKept] of [
    ['y'.repeat(128), true],
    ['y'.repeat(129), false],
    ['ü', false],
    ['', false],
  ] as const) {
    const bytes = Buffer.from(messageOf([`GET ${path} HTTP/1.1`, host, key, `X-Request-Id: ${id}`]))
    const response = await send(bytes)
    assert.equal(response.status, 200)
    assertCommonHeaders(response)
    assert.equal(response.headers['x-request-id'] === id, isKept)
  }
})

test('HTTP/1.1 requires exactly one Host header, and HTTP/1.0 requires none', async () => {
  for (const hosts of [[], [host, 'Host: y']]) {
    const refused = await send(messageOf([`GET ${path} HTTP/1.1`, ...hosts, key]))
    assertRefused(refused, 400, 'invalid_request')
    assert.match(refused.body.error.message, /Host/)
  }
  assert.equal((await send(messageOf([`GET ${path} HTTP/1.1`, host, key]))).status, 200)
  assert.equal((await send(messageOf([`GET ${path} HTTP/1.0`, key]))).status, 200)
})

test('Expect: 100-continue is answered with 100, and any other expectation is refused with 417', async () => {
  const connection = await open()
  const body = '{"name":"Patient"}'
  const lines = [`POST ${path} HTTP/1.1`, host, key, json, `Content-Length: ${body.length}`]
  connection.socket.write(messageOf([...lines, 'Expect: 100-continue']))
  assert.equal((await connection.next())?.status, 100)
  connection.socket.write(body)
  const created = await connection.next()
  assert.deepEqual([created?.status, created?.body.name], [201, 'Patient'])
  connection.socket.destroy()
  const refused = await send(messageOf([...lines, 'Expect: a miracle', 'X-Request-Id: hopeful'], body))
  assertRefused(refused, 417, 'invalid_request')
  assert.equal(refused.headers['x-request-id'], 'hopeful')
})

test('CONNECT is refused in the error format of the API', async () => {
  const refused = await send(messageOf(['CONNECT example.com:443 HTTP/1.1', host, 'X-Request-Id: tunnel']))
  assertRefused(refused, 400, 'invalid_request')
  assert.equal(refused.headers['x-request-id'], 'tunnel')
})

test('an unsupported Upgrade header is ignored', async () => {
  for (const upgrade of ['websocket', 'h2c', 'TLS/1.0']) {
    const headers = ['Connection: Upgrade', `Upgrade: ${upgrade}`]
    assert.equal((await send(messageOf([`GET ${path} HTTP/1.1`, host, key, ...headers]))).status, 200)
    assertRefused(await send(messageOf([`GET ${path} HTTP/1.1`, host, ...headers])), 401, 'unauthorized')
  }
})

test('malformed percent-encoding is refused with the same error as an unknown path or an invalid value', async () => {
  for (const bad of ['%', '%zz', '%c3%28', '%ff', '%00', 'customers.php%', '%2e%2e/customers.php%zz']) {
    assertRefused(await send(messageOf([`GET ${pathname}/${bad} HTTP/1.1`, host])), 401, 'unauthorized')
    assertRefused(await send(messageOf([`GET ${pathname}/${bad} HTTP/1.1`, host, key])), 404, 'not_found')
    assertRefused(await send(messageOf([`GET /${bad} HTTP/1.1`, host])), 404, 'not_found')
  }
  for (const bad of ['id=%', 'id=%zz', 'id=%ff', 'id=1%00']) {
    assertRefused(await send(messageOf([`GET ${path}?${bad} HTTP/1.1`, host, key])), 400, 'invalid_request')
  }
})

test('a request target in absolute form is treated like its path', async () => {
  assert.equal((await send(messageOf([`GET ${origin}${path} HTTP/1.1`, host, key]))).status, 200)
  assertRefused(await send(messageOf([`GET ${origin}${path} HTTP/1.1`, host])), 401, 'unauthorized')
  assertRefused(
    await send(messageOf([`GET http://elsewhere.example${path}?id=x HTTP/1.1`, host, key])),
    400,
    'invalid_request',
  )
  assertRefused(await send(messageOf([`GET ${origin}/nothing HTTP/1.1`, host])), 404, 'not_found')
  assert.equal((await send(messageOf([`GET ${origin} HTTP/1.1`, host]))).headers.location, 'login.php')
  for (const target of ['*', '//', '///x', '/../etc/passwd', 'customers.php']) {
    const response = await send(messageOf([`OPTIONS ${target} HTTP/1.1`, host]))
    assertRefused(response, response.status, response.status === 400 ? 'invalid_request' : 'not_found')
  }
})

test('an HTTP/1.0 request is served, and then its connection is closed', async () => {
  const connection = await open()
  connection.socket.write(messageOf([`GET ${path} HTTP/1.0`, key]))
  assert.equal((await connection.next())?.status, 200)
  assert.equal(await connection.next(), undefined)
  connection.socket.destroy()
  assertRefused(await send(messageOf([`GET ${path} HTTP/1.0`])), 401, 'unauthorized')
})

const chunked = [`POST ${path} HTTP/1.1`, host, key, json, 'Transfer-Encoding: chunked']

test('a chunked body is accepted, and a malformed chunk is refused with invalid_request', async () => {
  const created = await send(
    messageOf(chunked),
    '8\r\n{"name":\r\n',
    '6;x=y\r\n"Bits"\r\n',
    '1\r\n}\r\n',
    '0\r\nX-Trailer: z\r\n\r\n',
  )
  assert.deepEqual([created.status, created.body.name], [201, 'Bits'])
  for (const broken of ['zz\r\n{}\r\n', '-1\r\n', '2\r\n{}xx', 'ffffffffffffffffff\r\n']) {
    assertRefused(await send(messageOf(chunked), '1\r\n{\r\n', broken), 400, 'invalid_request')
  }
})

test('a POST without a body gets a response, with or without Content-Length', async () => {
  for (const length of [[], ['Content-Length: 0']]) {
    const refused = await send(messageOf([`POST ${path} HTTP/1.1`, host, key, json, ...length]))
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_json'])
    const form = 'Content-Type: application/x-www-form-urlencoded'
    // The sign-in page refuses this form because it has no CSRF token.
    assert.equal((await send(messageOf(['POST /login.php HTTP/1.1', host, form, ...length]))).status, 403)
  }
})

test('a chunked body beyond the limit is refused with payload_too_large, and its connection stays usable', async () => {
  const connection = await open()
  connection.socket.write(messageOf(chunked, `20000\r\n{${' '.repeat(0x1ffff)}\r\n0\r\n\r\n`))
  assertRefused((await connection.next())!, 413, 'payload_too_large')
  connection.socket.write(messageOf([`GET ${path} HTTP/1.1`, host, key]))
  assert.equal((await connection.next())?.status, 200)
  connection.socket.destroy()
})

test('a connection stays usable after a body that was refused, too large or ignored', async () => {
  const connection = await open()
  const length = 3_000_000
  const body = Buffer.alloc(length, ' ')
  for (const [line, authorization, status, code] of [
    [`POST ${path}`, key, 413, 'payload_too_large'],
    [`PUT ${path}?id=1`, key, 413, 'payload_too_large'],
    [`POST ${path}`, 'X-No: key', 401, 'unauthorized'],
    [`POST ${pathname}/nowhere`, key, 404, 'not_found'],
    [`PATCH ${path}`, key, 405, 'method_not_allowed'],
    [`POST ${path}`, `${key}\r\nIdempotency-Key: x`, 400, 'invalid_request'],
  ] as const) {
    connection.socket.write(messageOf([`${line} HTTP/1.1`, host, authorization, json, `Content-Length: ${length}`]))
    connection.socket.write(body)
    assertRefused((await connection.next())!, status, code)
    assert.equal(connection.isOver(), false)
  }
  connection.socket.write(messageOf([`DELETE ${path}?id=987654321 HTTP/1.1`, host, key, `Content-Length: ${length}`]))
  connection.socket.write(body)
  assertRefused((await connection.next())!, 404, 'not_found')
  connection.socket.write(messageOf([`GET ${path} HTTP/1.1`, host, key]))
  assert.equal((await connection.next())?.status, 200)
  connection.socket.destroy()
})

test('pipelined requests get their responses in order', async () => {
  const connection = await open()
  const bodies = Array.from({ length: 10 }, (_, index) => JSON.stringify({ name: `Pipe ${index}` }))
  const requests = bodies.flatMap((body, index) => [
    messageOf(
      [`POST ${path} HTTP/1.1`, host, key, json, `Content-Length: ${body.length}`, `X-Request-Id: post-${index}`],
      body,
    ),
    messageOf([`GET ${path}?id=x HTTP/1.1`, host, key, `X-Request-Id: get-${index}`]),
  ])
  connection.socket.write(requests.join(''))
  for (const index of bodies.keys()) {
    const [post, get] = [await connection.next(), await connection.next()]
    assert.deepEqual(
      [post?.status, post?.body.name, post?.headers['x-request-id']],
      [201, `Pipe ${index}`, `post-${index}`],
    )
    assert.deepEqual([get?.status, get?.headers['x-request-id']], [400, `get-${index}`])
  }
  connection.socket.destroy()
})

/** Returns the total resident memory of all nodes in bytes, as each node reports it. */
async function residentMemory(): Promise<number> {
  const texts = await Promise.all(program.nodes.map(async ({ url }) => (await fetch(new URL('/metrics', url))).text()))
  return texts
    .map((text) => Number(/^process_resident_memory_bytes (\d+)/m.exec(text)![1]))
    .reduce((sum, bytes) => sum + bytes)
}

/** Opens a connection and sends a request with only the first byte of its body. */
async function beginRequest(authorization: string, length: number) {
  const connection = await open()
  connection.socket.write(
    messageOf([`POST ${path} HTTP/1.1`, host, authorization, json, `Content-Length: ${length}`], '{'),
  )
  return connection
}

test('endless bodies do not delay other requests and use a limited amount of memory', async () => {
  const waiting = await Promise.all(Array.from({ length: 50 }, () => beginRequest(key, 1000)))
  const authorizations = Array.from({ length: 20 }, (_, index) => (index % 2 ? key : 'X-No: key'))
  const flooding = await Promise.all(authorizations.map((authorization) => beginRequest(authorization, 9_999_999_999)))
  const piece = Buffer.alloc(1_000_000, ' ')
  const flood = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      for (const { socket } of flooding) if (!socket.write(piece)) await once(socket, 'drain')
      assert.equal((await acme('GET', '/customers.php')).status, 200)
    }
  }
  await flood(8) // the server allocates its buffers during these rounds
  const before = await residentMemory()
  await flood(12)
  const grown = (await residentMemory()) - before
  assert.ok(grown < 120_000_000, `memory grew by ${grown} bytes while 240 MB were received`)
  for (const [index, { next }] of flooding.entries()) {
    const response = (await next())!
    if (authorizations[index] === key) assertRefused(response, 413, 'payload_too_large')
    else assertRefused(response, 401, 'unauthorized')
  }
  for (const { socket } of [...waiting, ...flooding]) socket.destroy()
})

test('a request changes nothing if the client disconnects before sending all of it', async () => {
  const lines = [`POST ${path} HTTP/1.1`, host, key, json, 'Content-Length: 100']
  const beginnings = [
    'P',
    `POST ${path}`,
    messageOf(lines).slice(0, -2),
    messageOf(lines),
    messageOf(lines, '{"name": "Half'),
    messageOf(chunked, '5\r\n{"na'),
  ]
  for (const beginning of beginnings) {
    for (const method of ['destroy', 'resetAndDestroy', 'end'] as const) {
      const { socket } = await open()
      socket.write(beginning)
      // When this response arrives, the server has had time to read the beginning.
      assert.equal((await acme('GET', '/customers.php')).status, 200)
      socket[method]()
    }
  }
  const names = (await acme('GET', '/customers.php')).body.data.map((record: { name: string }) => record.name)
  assert.ok(!names.includes('Half'))
  for (const { process } of program.nodes) assert.equal(process.exitCode, null, 'the program is alive')
})

test('the program exits on SIGTERM without waiting for the open connection of a refused CONNECT', async () => {
  // A single node, because the test waits for one process to exit.
  const server = await startProcess({ DATA_DIR: temporaryDirectory() }, { nodes: 1 })
  const { socket, next } = await open(server.url)
  socket.write(messageOf(['CONNECT example.com:443 HTTP/1.1', host]))
  assert.equal((await next())?.status, 400)
  const ended = once(server.process, 'exit')
  server.process.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null], 'the program exits with code 0, without a signal')
})

test('a client that sends CONNECT and disconnects does not crash the server', async () => {
  // No load balancer, because it would receive the CONNECT instead of the server.
  const single = await startProcess({ DATA_DIR: temporaryDirectory() }, { nodes: 1 })
  for (let count = 0; count < 40 && single.process.exitCode === null; count++) {
    const { socket, next } = await open(single.url)
    socket.write(messageOf(['CONNECT example.com:443 HTTP/1.1', host], 'x'.repeat(count * 5000)))
    if (count % 2) await next() // half of the clients disconnect after the refusal, the others before it
    socket.resetAndDestroy()
  }
  assert.equal((await fetch(new URL('/healthz', single.url))).status, 200, 'the program is alive')
})

test('unfinished bodies beyond a tenant’s memory limit are refused, while other tenants can still send requests', async () => {
  const other = networkClient(program.url, await makeTenant(environment, 'globex'))
  const [length, sentBytes] = [99_000, 98_999]
  const capacity = Math.floor(2 ** 24 / sentBytes) * program.nodes.length // a quarter of 64 MiB, on each node
  const senders = await Promise.all(Array.from({ length: capacity + 60 }, () => open()))
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
  const body = `{"x":"${'x'.repeat(sentBytes - 7)}"`
  assert.equal(body.length, sentBytes)
  for (const { socket } of senders) socket.write(head + body)
  let responseCount = 0
  const pending = senders.map(async ({ next }) => {
    const response = await next()
    responseCount++
    return response
  })
  await eventually('bodies beyond the limit are refused', () => responseCount >= 30)
  assert.equal((await other('POST', '/customers.php', { name: 'C', notes: 'x'.repeat(2000) })).status, 201)
  for (const { socket } of senders) socket.write('}')
  const responses = await Promise.all(pending)
  const refused = responses.filter((response) => response!.status === 503)
  for (const { body, headers } of refused.map((response) => response!)) {
    assert.deepEqual([body.error.code, headers['retry-after']], ['server_busy', '5'])
  }
  assert.ok(refused.length >= 30 && refused.length <= 120, `${refused.length} refused`)
  assert.equal(responses.filter((response) => response!.status === 422).length, responses.length - refused.length)
})
