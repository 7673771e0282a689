// The proxy in compose.yaml, running in front of three nodes.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { parse } from 'yaml'
import { eventually } from '../support/eventually.ts'
import { configuration, haproxySkipReason, startHaproxy } from '../support/servers/haproxy.ts'
import { makeTenant, networkClient, startProcess, startService, temporaryDirectory } from '../support/service.ts'

const skip = haproxySkipReason

const seed = temporaryDirectory()
const token = await makeTenant({ DATA_DIR: seed }, 'acme')

async function startNode() {
  const directory = temporaryDirectory()
  cpSync(seed, directory, { recursive: true })
  const node = await startProcess({ DATA_DIR: directory, TRUST_PROXY: '1' })
  /** Returns how many responses with this method and status the node has sent. */
  const answered = async (method: string, status: number) => {
    const figures = await (await fetch(new URL('/metrics', node.url))).text()
    const found = new RegExp(`requests_total{method="${method}",status="${status}"} (\\d+)`).exec(figures)
    return Number(found?.[1] ?? 0)
  }
  return { ...node, port: new URL(node.url).port, answered }
}

const nodes = skip ? [] : await Promise.all([startNode(), startNode(), startNode()])
const { url, logged } = skip ? { url: '', logged: () => '' } : await startHaproxy(nodes)
const client = networkClient(url, token)

test('haproxy.cfg is valid and names the service in compose.yaml', { skip }, () => {
  const checked = spawnSync('haproxy', ['-c', '-f', 'haproxy.cfg'], { encoding: 'utf8' })
  assert.equal(checked.status, 0, checked.stderr)
  for (const [, status, body] of configuration.matchAll(/http-error status (\d+) .* string '(.*)'/g)) {
    assert.equal(JSON.parse(body!).error.status, Number(status))
  }
  const { services } = parse(readFileSync('compose.yaml', 'utf8'))
  const [, count, service, port] = /server-template node (\d+) (\w+):(\d+)/.exec(configuration)!
  assert.equal(services[service!].deploy.replicas, Number(count))
  assert.ok(readFileSync('Dockerfile', 'utf8').includes(`PORT=${port} `))
  assert.ok(services.proxy.volumes[0].startsWith('./haproxy.cfg:'))
})

test('the proxy distributes requests over the nodes', { skip }, async () => {
  const responses = await Promise.all(Array.from({ length: 60 }, () => client('GET', '/customers.php')))
  for (const { status } of responses) assert.equal(status, 200)
  for (const { answered } of nodes) assert.ok((await answered('GET', 200)) > 5)
})

test('the proxy does not forward addresses and hosts claimed by a client', { skip }, async () => {
  const asked = await fetch(new URL('/metrics', url), { headers: { 'x-forwarded-for': '127.0.0.1' } })
  assert.equal(asked.status, 404)
  const seen = await requestSeenByNode({
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
    forwarded: 'for=203.0.113.7;host=evil.example',
  })
  assert.equal(seen['x-forwarded-for'], '127.0.0.1')
  assert.equal(seen['x-forwarded-proto'], 'http')
  assert.deepEqual([seen['x-forwarded-host'], seen.forwarded], [undefined, undefined])
})

test('with the change for TLS proxies in docs/guide/install.md, the proxy appends the address and keeps the protocol', {
  skip,
}, async () => {
  const lines = /( +http-request (set-header X-Forwarded|del-header (X-)?Forwarded).*\n){4}/
  assert.match(configuration, lines)
  const change = (text: string) => text.replace(lines, '  option forwardfor\n')
  const fromOuter = { 'x-forwarded-for': '6.6.6.6, 203.0.113.7', 'x-forwarded-proto': 'https' }
  const seen = await requestSeenByNode(fromOuter, change)
  assert.equal(seen['x-forwarded-proto'], 'https')
  const { service } = await startService({ TRUST_PROXY: '2' }, { nodes: 1 })
  const response = await service.server.inject({ url: '/login.php', headers: seen })
  assert.match(String(response.headers['set-cookie']), /; Secure/)
  assert.equal(String(seen['x-forwarded-for']).replaceAll(' ', ''), '6.6.6.6,203.0.113.7,127.0.0.1')
})

/** Returns a request's headers as the node receives them from the proxy. */
async function requestSeenByNode(
  headers: Record<string, string>,
  change?: (text: string) => string,
): Promise<IncomingHttpHeaders> {
  const seen = Promise.withResolvers<IncomingHttpHeaders>()
  const node = createServer({ joinDuplicateHeaders: true }, (request, response) => {
    if (request.url === '/seen') seen.resolve(request.headers)
    response.end()
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  after(() => node.close().closeAllConnections())
  const proxy = await startHaproxy([{ port: String((node.address() as AddressInfo).port) }], change)
  await fetch(new URL('/seen', proxy.url), { headers })
  return seen.promise
}

test('the proxy logs the path of a request but not its query', { skip }, async () => {
  const asked = ['/setup.php?token=one-time-secret', '/api/v1/employees.php?q=ada@example.com', '/#?a=one-time-secret']
  for (const path of asked) await fetch(new URL(path, url))
  await sendRaw(new URL(url).port, 'GET /login.php?token=one-time-secret HTTP/1.1\r\nHost: a\r\nBad Header: x\r\n\r\n')
  await sendRaw(
    new URL(url).port,
    'GET http://user:one-time-secret@a/login.php?q=ada@example.com HTTP/1.1\r\nHost: a\r\n\r\n',
  )
  await fetch(new URL('/the-last-one', url))
  await eventually('the last request is logged', () => logged().includes('/the-last-one'))
  assert.match(logged(), /"GET" "\/setup\.php" HTTP\/1\.1/)
  assert.match(logged(), /"GET" "\/api\/v1\/employees\.php" HTTP\/1\.1/)
  assert.doesNotMatch(logged(), /one-time-secret|ada@example|\?/)
})

/** Sends raw bytes, and waits until the proxy has closed the connection. */
async function sendRaw(port: string, text: string): Promise<void> {
  const socket = connect(Number(port), '127.0.0.1')
  socket.end(text).resume()
  await once(socket, 'close')
}

test('no request is lost when a node stops', { skip }, async () => {
  const [first] = nodes
  const responses = Array.from({ length: 80 }, async (_, index) => {
    await wait(index * 5) // spreads the requests out, so that some are in flight when the node stops
    return client('GET', '/customers.php')
  })
  await wait(100) // lets the node stop while requests are being sent
  await first!.end('SIGTERM')
  const statuses = (await Promise.all(responses)).map(({ status }) => status)
  assert.deepEqual(
    statuses,
    statuses.map(() => 200),
  )
})

/** Creates a customer and returns the status. A closed connection is reported as 502, because in both cases the client
 *  must decide whether to retry. */
async function create(headers: Record<string, string> = {}): Promise<number> {
  const response = await client('POST', '/customers.php', { name: 'Once' }, headers).catch(() => null)
  return response?.status ?? 502
}

test('the proxy retries an unanswered request on another node only if it has an Idempotency-Key', {
  skip,
}, async () => {
  const [, second, third] = nodes
  const before = await third!.answered('POST', 201)
  second!.process.kill('SIGSTOP')
  const [once, repeated] = [
    Array.from({ length: 6 }, () => create()),
    Array.from({ length: 6 }, () => create({ 'idempotency-key': randomUUID() })),
  ]
  const isAnswering = async () => (await third!.answered('POST', 201)) >= before + 4
  await eventually('the other node answers', isAnswering)
  // The stopped node still accepts connections, and the test cannot see whether a request is waiting on one of them.
  await wait(200)
  await second!.end('SIGKILL')
  const statuses = await Promise.all(once)
  const served = statuses.filter((status) => status === 201).length
  assert.deepEqual(new Set(statuses), new Set([201, 502]))
  assert.deepEqual(new Set(await Promise.all(repeated)), new Set([201]))
  assert.equal((await third!.answered('POST', 201)) - before, served + repeated.length)
})

test('if no node is running, the proxy responds with 503 in the error format of the API', { skip }, async () => {
  await nodes[2]!.end('SIGTERM')
  const refused = await client('GET', '/customers.php')
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'tenant_unavailable'])
  assert.equal(refused.headers['retry-after'], '5')
  assert.equal(refused.headers['x-content-type-options'], 'nosniff')
  assert.equal(
    refused.headers['content-security-policy'],
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  assert.equal(refused.headers['cross-origin-resource-policy'], 'same-origin')
})
