// The headers that every response must have, whichever part of the server creates the response (contract §8).

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createPanelUser, openBrowser, signIn } from '../support/panel/panel-client.ts'
import { makeTenant, startService } from '../support/service.ts'

const secure = await startService(
  { PUBLIC_URL: 'https://assets.example.com', CORS_ORIGINS: 'https://app.example.com' },
  { nodes: 1 },
)
const secureUrl = new URL(await secure.listen())
const authorization = `Bearer ${await makeTenant(secure.environment, 'acme')}`
const plain = await startService({}, { nodes: 1 })
const plainUrl = new URL(await plain.listen())

/** A request for each part of the server that creates responses, with the expected status. */
const requests: [status: number, request: string][] = [
  [200, 'GET /api/v1/customers.php'],
  [201, 'POST /api/v1/customers.php\r\ncontent-type: application/json\r\n\r\n{"name": "Head office"}'],
  [400, 'POST /api/v1/customers.php\r\ncontent-type: application/json\r\n\r\n{'],
  [404, 'HEAD /api/v1/customers.php?id=987'],
  [405, 'PATCH /api/v1/customers.php'],
  [204, 'OPTIONS /api/v1/customers.php\r\norigin: https://app.example.com\r\naccess-control-request-method: GET'],
  [200, 'GET /api/v1/openapi.json'],
  [304, 'GET /api/v1/openapi.json\r\nif-none-match: *'],
  [200, 'GET /healthz'],
  [200, 'GET /readyz'],
  [200, 'GET /metrics'],
  [200, 'GET /docs'],
  [200, 'GET /docs/style.css'],
  [304, 'GET /docs/try.js\r\nif-none-match: *'],
  [200, 'GET /docs/icon.svg'],
  [200, 'GET /login.php'],
  [303, 'GET /records.php'],
  [403, 'POST /login.php\r\ncontent-type: application/x-www-form-urlencoded\r\n\r\nemail=a'],
  [415, 'POST /login.php\r\ncontent-type: application/json\r\n\r\n{}'],
  [405, 'DELETE /login.php'],
  [200, 'GET /panel/style.css'],
  [200, 'GET /panel/icon.svg'],
  [404, 'GET /nowhere'],
  [404, 'GET /%zz'],
  [400, 'GET /healthz\r\nhost: two'],
  [400, 'GET /healthz\r\nnot a header'],
  [400, 'CONNECT a:80'],
  [417, 'GET /healthz\r\nexpect: magic'],
  [431, `GET /healthz\r\nx-long: ${'x'.repeat(20_000)}`],
]

/** Sends a raw request with a Host header and a key. Returns the response's status and headers. */
async function send({ port, hostname }: URL, request: string): Promise<{ status: number; headers: Headers }> {
  const [head, body = ''] = request.split('\r\n\r\n')
  const [line, ...fields] = head!.split('\r\n')
  const commonLines = [
    'host: a',
    `authorization: ${authorization}`,
    'connection: close',
    `content-length: ${body.length}`,
  ]
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write([`${line} HTTP/1.1`, ...commonLines, ...fields, '', body].join('\r\n'))
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  await once(socket, 'close')
  const [status, ...lines] = text.split('\r\n\r\n')[0]!.split('\r\n')
  const pairs = lines.map((line) => /^([^:]+): (.*)$/.exec(line)!.slice(1) as [string, string])
  return { status: Number(status!.split(' ')[1]), headers: new Headers(pairs) }
}

/** The API's responses do not have the headers that bound what browsers do: browsers do not send API keys by themselves. */
const isForApi = (request: string) => request.includes(' /api/')

for (const [status, request] of requests) {
  const title = request.split('\r\n\r\n')[0]!.replaceAll('\r\n', ', ').slice(0, 60)
  test(`the response to ${title} is ${status} and has the security headers`, async () => {
    const { status: actual, headers } = await send(secureUrl, request)
    assert.equal(actual, status)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    if (!isForApi(request)) {
      assert.match(
        headers.get('content-security-policy')!,
        /^default-src 'none';.*base-uri 'none';.*frame-ancestors 'none'$/,
      )
      assert.match(headers.get('referrer-policy')!, /^(no-referrer|same-origin)$/)
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
    }
    if (headers.has('content-type')) assert.match(headers.get('content-type')!, /; charset=utf-8$/)
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains')
    assert.ok(headers.get('x-request-id'))
    assert.ok(headers.get('cache-control'))
  })
}

test('the CSP of pages allows only same-origin resources, and the CSP of other responses allows no resources', async () => {
  for (const [, request] of requests.filter(([, each]) => !isForApi(each))) {
    const { headers } = await send(secureUrl, request)
    const policy = headers.get('content-security-policy')!
    if (!headers.get('content-type')?.startsWith('text/html')) {
      if (!headers.has('location'))
        assert.match(policy, /^default-src 'none'; base-uri 'none'; form-action 'none'; /, request)
    } else {
      assert.match(policy, /script-src 'self'/)
      assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    }
  }
})

test('TRACE is refused on every path and does not echo any part of the request', async () => {
  for (const path of ['/api/v1/customers.php', '/healthz', '/docs', '/login.php', '/panel/style.css', '/nowhere']) {
    const socket = connect(Number(plainUrl.port), plainUrl.hostname)
    socket.end(`TRACE ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx-secret: of-the-request\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += chunk
    assert.match(text, /^HTTP\/1\.1 (401|404|405) /, path)
    assert.doesNotMatch(text, /of-the-request|message\/http/, path)
  }
})

test('Strict-Transport-Security is sent only if PUBLIC_URL uses https', async () => {
  for (const [, request] of requests) {
    assert.equal((await send(plainUrl, request)).headers.get('strict-transport-security'), null, request)
  }
})

test('signing out clears the browser cache', async () => {
  await createPanelUser(plain.environment, 'root@example.com')
  const root = await signIn(plainUrl.origin, 'root@example.com')
  assert.equal((await root.get('')).headers.get('clear-site-data'), null)
  const signedOut = await root.submit('', {}, /logout/)
  assert.deepEqual([signedOut.status, signedOut.headers.get('clear-site-data')], [303, '"cache"'])
  assert.equal((await openBrowser(plainUrl.origin).get('login.php')).headers.get('clear-site-data'), null)
})
