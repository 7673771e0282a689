// The proxy of compose.yaml, run for real in front of three nodes.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { parse } from 'yaml'
import { freePort } from '../postgres.ts'
import { makeTenant, networkClient, startProcess, temporaryDirectory } from '../service.ts'

const configuration = readFileSync('haproxy.cfg', 'utf8')
const skip = spawnSync('haproxy', ['-v']).status !== 0 && 'haproxy is not installed'

const seed = temporaryDirectory()
const token = await makeTenant({ DATA_DIR: seed }, 'acme')

async function startNode() {
  const directory = temporaryDirectory()
  cpSync(seed, directory, { recursive: true })
  const node = await startProcess({ DATA_DIR: directory, TRUST_PROXY: 'true' })
  /** How many requests it has answered with this status. */
  const answered = async (method: string, status: number) => {
    const figures = await (await fetch(new URL('/metrics', node.url))).text()
    const found = new RegExp(`requests_total{method="${method}",status="${status}"} (\\d+)`).exec(figures)
    return Number(found?.[1] ?? 0)
  }
  return { ...node, port: new URL(node.url).port, answered }
}

/** The file as it is, but for a port and for addresses, which are those of this machine. */
function configurationHere(port: number, nodes: { port: string }[]): string {
  const servers = nodes.map((node, at) => `  server node${at + 1} 127.0.0.1:${node.port}`).join('\n')
  const text = configuration.replace('bind :8080', `bind 127.0.0.1:${port}`).replace(/^ *server-template .*$/m, servers)
  assert.equal(text.split('\n').length, configuration.split('\n').length + nodes.length - 1)
  return text
}

/** Starts the proxy and waits until it serves. */
async function startProxy(nodes: { port: string }[]): Promise<string> {
  const port = await freePort()
  const file = join(temporaryDirectory(), 'haproxy.cfg')
  writeFileSync(file, configurationHere(port, nodes))
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  after(() => child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}/api/v1`
  while (!(await fetch(url).catch(() => null))) await wait(20)
  return url
}

const nodes = skip ? [] : await Promise.all([startNode(), startNode(), startNode()])
const url = skip ? '' : await startProxy(nodes)
const client = networkClient(url, token)

test('the file is right by its program, and names the service of the compose file', { skip }, () => {
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

test('the nodes share the requests', { skip }, async () => {
  const answers = await Promise.all(Array.from({ length: 60 }, () => client('GET', '/customers.php')))
  for (const { status } of answers) assert.equal(status, 200)
  for (const { answered } of nodes) assert.ok((await answered('GET', 200)) > 5)
})

test('what a client says of its own address is not passed on', { skip }, async () => {
  const asked = await fetch(new URL('/metrics', url), { headers: { 'x-forwarded-for': '127.0.0.1' } })
  assert.equal(asked.status, 404)
  assert.match(configuration, /set-header X-Forwarded-For %\[src\]/)
})

test('when a node ends, no request is lost', { skip }, async () => {
  const [first] = nodes
  const answers = Array.from({ length: 80 }, async (_, at) => {
    await wait(at * 5)
    return client('GET', '/customers.php')
  })
  await wait(100)
  await first!.end('SIGTERM')
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  assert.deepEqual(
    statuses,
    statuses.map(() => 200),
  )
})

/** 502, or the connection ends without a word when it was used before: HTTP leaves it to the client to repeat. */
async function create(headers: Record<string, string> = {}): Promise<number> {
  const answer = await client('POST', '/customers.php', { name: 'Once' }, headers).catch(() => null)
  return answer?.status ?? 502
}

test('what a node took and did not answer goes to another one only with an Idempotency-Key', { skip }, async () => {
  const [, second, third] = nodes
  const before = await third!.answered('POST', 201)
  second!.process.kill('SIGSTOP')
  const [once, repeated] = [
    Array.from({ length: 6 }, () => create()),
    Array.from({ length: 6 }, () => create({ 'idempotency-key': randomUUID() })),
  ]
  await wait(200)
  await second!.end('SIGKILL')
  const statuses = await Promise.all(once)
  const served = statuses.filter((status) => status === 201).length
  assert.deepEqual(new Set(statuses), new Set([201, 502]))
  assert.deepEqual(new Set(await Promise.all(repeated)), new Set([201]))
  assert.equal((await third!.answered('POST', 201)) - before, served + repeated.length)
})

test('without any node the proxy says so in the envelope of the API', { skip }, async () => {
  await nodes[2]!.end('SIGTERM')
  const refused = await client('GET', '/customers.php')
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'tenant_unavailable'])
  assert.equal(refused.headers['retry-after'], '5')
})
