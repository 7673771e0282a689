// How a server divides its limit on open files (ulimit -n) between connections and tenants' databases.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import {
  type Environment,
  engine,
  makeTenant,
  networkClient,
  temporaryDirectory,
  withEngineUrl,
} from '../support/service.ts'

/** Starts the program under a limit on open files, and waits until it is ready or has exited. */
async function startUnder(limit: number, settings: Environment) {
  const environment = await withEngineUrl({ PORT: '0', RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn', ...settings })
  const line = `ulimit -n ${limit}; exec '${process.execPath}' src/main.ts serve`
  const child = spawn('bash', ['-c', line], { env: { ...process.env, ...environment } })
  after(() => child.kill('SIGKILL'))
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (written.stdout += chunk))
  const url = await new Promise<string | undefined>((resolve) => {
    child.stderr.on('data', (chunk) => {
      written.stderr += chunk
      const ready = /API is at ([^\s"]+)/.exec(written.stderr)
      if (ready) resolve(ready[1]!)
    })
    child.once('exit', () => resolve(undefined))
  })
  return { url, child, written }
}

async function createTenants(environment: Environment, count: number): Promise<string[]> {
  const slugs = Array.from({ length: count }, (_, index) => `tenant-${index}`)
  const tokens: string[] = []
  for (const slug of slugs) tokens.push(await makeTenant(environment, slug))
  return tokens
}

/** Sends a list request over a connection that is kept open. Returns the response's status. */
async function statusOver(agent: Agent, url: string, token: string): Promise<number> {
  const sent = request(`${url}/customers.php`, { agent, headers: { authorization: `Bearer ${token}` } }).end()
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

/** Opens idle connections. `closed` returns the number of these connections that the server has closed so far. */
async function idleConnections(url: string, count: number) {
  const sockets: Socket[] = []
  let closed = 0
  for (let index = 0; index < count; index++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.once('close', () => closed++)
    sockets.push(socket)
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
  }
  return { sockets, closed: () => closed }
}

/** The lowest limit under which a server starts, taken from its error message. */
async function lowestLimitFor(settings: Environment): Promise<number> {
  const { written } = await startUnder(64, settings)
  return Number(/needs at least (\d+)/.exec(written.stderr)?.[1] ?? assert.fail(written.stderr))
}

test('idle connections beyond the limit on open files are closed, and every tenant is served', async () => {
  const settings = { DATA_DIR: temporaryDirectory(), API_KEY_PEPPER: 'p'.repeat(32) }
  const tokens = await createTenants(settings, engine === 'sqlite' ? 20 : 5) // on SQLite, more than may stay open
  const limit = await lowestLimitFor(settings)
  const { url, written } = await startUnder(limit, settings)
  assert.ok(url, written.stderr)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  after(() => agent.destroy())
  assert.equal(await statusOver(agent, url, tokens[0]!), 200)
  const idle = await idleConnections(url, limit + 20)
  await eventually('connections beyond the limit are closed', () => idle.closed() > 0)
  for (let round = 0; round < 3; round++) {
    for (const [index, token] of tokens.entries()) {
      assert.equal(await statusOver(agent, url, token), 200, `tenant ${index} in round ${round}`)
    }
  }
  await eventually('the log reports rejected connections', () => written.stdout.includes('connections are rejected'))
  assert.equal(
    written.stdout.split('connections are rejected').length - 1,
    1,
    'the log reports rejected connections once',
  )
  for (const socket of idle.sockets) socket.destroy()
  const newClient = networkClient(url, tokens[1]!)
  const isServed = () =>
    newClient('GET', '/customers.php').then(
      ({ status }) => status === 200,
      () => false,
    )
  await eventually('new connections are served once the idle connections are closed', isServed, { everyMs: 50 })
})

test('a server refuses to start if the limit on open files leaves no room for tenants and connections', async () => {
  const { url, child, written } = await startUnder(64, { DATA_DIR: temporaryDirectory() })
  assert.equal(url, undefined)
  assert.equal(child.exitCode, 1)
  assert.match(written.stderr, /^This process may open 64 files \(ulimit -n\), but a server needs at least \d+\.\n$/)
  const lowestLimit = await lowestLimitFor({ DATA_DIR: temporaryDirectory() })
  const started = await startUnder(lowestLimit, { DATA_DIR: temporaryDirectory() })
  assert.ok(started.url, started.written.stderr)
})

test('if the limit on open files is too low for 256 tenant files, the server reports how many files it keeps open', {
  skip: engine === 'postgres' && 'tenants have no files on PostgreSQL',
}, async () => {
  const { url, written } = await startUnder(512, { DATA_DIR: temporaryDirectory() })
  assert.ok(url)
  const sentence =
    /may open 512 files \(ulimit -n\), so it keeps only (\d+) tenant files open instead of 256\. .*to at least (\d+)/
  const [, kept, wanted] = sentence.exec(written.stderr) ?? assert.fail(written.stderr)
  assert.ok(Number(kept) >= 16 && Number(kept) < 256)
  const enough = await startUnder(Number(wanted), { DATA_DIR: temporaryDirectory() })
  assert.ok(enough.url)
  assert.doesNotMatch(enough.written.stderr, /ulimit/)
})
