// Runs a real service with a temporary data directory, either in this process or in separate processes, and creates
// clients for the service.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import pg from 'pg'
import { type Endpoint, scopesOf } from '../../src/api/endpoint.ts'
import { endpointsOf } from '../../src/api/endpoints/all.ts'
import type { ServiceOverrides } from '../../src/app/context.ts'
import { serve } from '../../src/app/serve.ts'
import { openService } from '../../src/app/service.ts'
import { openPepper } from '../../src/catalog/pepper/pepper.ts'
import { readFileState, readServerState } from '../../src/catalog/state.ts'
import { runCommand } from '../../src/cli/run-command.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { Unavailable } from '../../src/engine/database/database.ts'
import { openPool } from '../../src/engine/database/postgres/pool.ts'
import { UserError } from '../../src/lib/user-error.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { type Check, checkAgainst, documentOf } from './api/openapi-check.ts'
import { watchStatements } from './databases/distributed.ts'
import { scratch } from './scratch.ts'
import { createNodeChooser, startBalancer } from './servers/balancer.ts'
import { freePort } from './servers/free-port.ts'
import { recordingTerminal } from './terminal.ts'

/** A parsed JSON value, which tests access freely. */
// biome-ignore lint/suspicious/noExplicitAny: assertions check the values
export type Json = any
export type Environment = Record<string, string>
export type Response = { status: number; headers: Record<string, string>; text: string; body: Json }
export type Client = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Response>

/** A directory that is deleted after the tests of the file. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(scratch, 'tenantdesk-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** The engine of this test run: PostgreSQL if test/support/postgres.ts has started a server. */
export const engine = process.env.TEST_POSTGRES ? 'postgres' : 'sqlite'

/** On PostgreSQL, a test file fails if Citus would refuse any statement that the service sends. */
if (engine === 'postgres') {
  const refused = watchStatements()
  process.on('exit', () => {
    for (const [sql, reason] of refused) console.error(`Citus would refuse ${reason}\n${sql}`)
    if (refused.size > 0) process.exitCode = 1
  })
}

/** Returns the number of runs (`numRuns`) of a property-based test. On PostgreSQL, a run takes three times as long, so
 *  the number is a third of `count` unless `FAULTS=full`. */
export const runs = (count: number) =>
  engine === 'postgres' && process.env.FAULTS !== 'full' ? Math.ceil(count / 3) : count

/** On PostgreSQL, adds the URL of a separate database for each data directory. Does not change DATABASE_URL if it is
 *  set, even to an empty string, which selects SQLite. */
export async function withEngineUrl(environment: Environment): Promise<Environment> {
  const { DATA_DIR, DATABASE_URL } = environment
  if (!process.env.TEST_POSTGRES || DATABASE_URL !== undefined || !DATA_DIR) return environment
  const database = databases.get(DATA_DIR) ?? createDatabase(process.env.TEST_POSTGRES, DATA_DIR)
  databases.set(DATA_DIR, database)
  return { ...environment, DATABASE_URL: await database }
}

/** The database URL for each data directory. */
const databases = new Map<string, Promise<string>>()

async function createDatabase(server: string, directory: string): Promise<string> {
  const name = `test_${createHash('sha256').update(directory).digest('hex').slice(0, 20)}`
  const client = new pg.Client(`${server}/postgres`)
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return `${server}/${name}`
}

const prepared = new Set<string>()

/** Creates an installation in an empty data directory, as the first start of a server would. Commands need an existing
 *  installation. */
export async function prepare(environment: Environment): Promise<void> {
  const { DATA_DIR = '', DATABASE_URL = '', API_KEY_PEPPER = '' } = await withEngineUrl(environment)
  const installation = `${DATA_DIR} ${DATABASE_URL}`
  if (prepared.has(installation) || !existsSync(DATA_DIR) || !statSync(DATA_DIR).isDirectory()) return
  prepared.add(installation)
  const config = readConfig({ DATA_DIR, DATABASE_URL, API_KEY_PEPPER })
  const pool = DATABASE_URL === '' ? undefined : openPool(DATABASE_URL, 1)
  const { kind } = pool ? await readServerState(pool).finally(() => pool.close()) : readFileState(DATA_DIR)
  if (kind !== 'missing') {
    prepared.delete(installation)
    return
  }
  try {
    const engine = await openDatabases(config, resources)
    await openPepper(engine.catalog, DATA_DIR, config.API_KEY_PEPPER).finally(() => engine.close())
  } catch (error) {
    if (!(error instanceof UserError || error instanceof Unavailable)) throw error // the command reports the reason
    prepared.delete(installation)
  }
}

/** Runs a command in this process. Returns its output and exit code. */
export function command(environment: Environment, ...line: string[]) {
  return commandWith(endpointsOf(resources), environment, ...line)
}

/** Runs a command in this process, with an API that has these endpoints. */
export async function commandWith(endpoints: readonly Endpoint[], environment: Environment, ...line: string[]) {
  const { terminal, written } = recordingTerminal()
  await prepare(environment)
  const application = { serve, scopes: async () => scopesOf(endpoints) }
  const exitCode = await runCommand(line, terminal, application, await withEngineUrl(environment))
  return { exitCode, ...written }
}

export const allScopes = ['*:read', '*:write']

/** Creates a tenant and an API key with the command line. Returns the token. */
export async function makeTenant(environment: Environment, slug: string, scopes = allScopes): Promise<string> {
  const { exitCode, stderr } = await command(environment, 'tenant', 'create', slug)
  if (exitCode !== 0) throw new Error(stderr)
  return createKey(environment, slug, scopes)
}

export async function createKey(environment: Environment, slug: string, scopes = allScopes): Promise<string> {
  const options = scopes.flatMap((scope) => ['--scope', scope])
  const { exitCode, stdout, stderr } = await command(environment, 'key', 'create', slug, ...options)
  if (exitCode !== 0) throw new Error(stderr)
  return stdout.trim()
}

/** The number of nodes, if the engine supports several. Tests of state that each node keeps in memory use one. */
export type Nodes = { nodes?: number }

/** Returns the number of nodes. On PostgreSQL, the default is two nodes, which serve the same database. On SQLite,
 *  there is always one node. */
function countNodes(environment: Environment, { nodes = 2 }: Nodes): number {
  return environment.DATABASE_URL ? nodes : 1
}

/** Limits that even a slow machine does not reach, and an interval so long that no periodic database check runs. Tests
 *  of limits and checks override these values. */
export const generousTimeouts = {
  listTimeoutMs: 60_000,
  queueTimeoutMs: 60_000,
  migrationTimeoutMs: 60_000,
  redisTimeouts: { answerMs: 60_000, startMs: 60_000 },
  watchIntervalMs: 3_600_000,
}

/** Starts a service in this process, and closes it after the tests. By default, it has no rate limits and no log. */
export async function startService(settings: Environment = {}, overrides: ServiceOverrides & Nodes = {}) {
  const defaults = { DATA_DIR: temporaryDirectory(), RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent' }
  const environment: Environment = await withEngineUrl({ ...defaults, ...settings })
  const config = readConfig({ PORT: '0', ...environment })
  const opening = Array.from({ length: countNodes(environment, overrides) }, async () => {
    const node = await openService(config, { workers: 1, pagesPerMinute: 0, ...generousTimeouts, ...overrides })
    after(node.close)
    return node
  })
  const nodes = await Promise.all(opening)
  const chooseNode = createNodeChooser()
  const check = checkAgainst(() => documentOf(config, overrides.resources ?? resources, overrides.endpoints))

  /** Passes a request to the chosen node, without a network, as if the HTTP server had parsed it. */
  async function request(method: string, path: string, headers: Record<string, string>, payload?: string | Buffer) {
    const { server } = nodes[chooseNode(nodes.length)]!
    const injected = await server.inject({
      method: method as 'GET',
      url: config.API_BASE_PATH + path,
      headers,
      ...(payload !== undefined && { payload }),
    })
    const response = toResponse(injected.statusCode, injected.headers as Record<string, string>, injected.payload)
    check(method, path, response)
    return response
  }

  /** A client with an API key. Sends text and bytes unchanged, and any other body as JSON. */
  function client(token: string): Client {
    return (method, path, body, headers = {}) => {
      const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
      const payload = isRaw ? (body as string | Buffer | undefined) : JSON.stringify(body)
      return request(method, path, { authorization: `Bearer ${token}`, ...type, ...headers }, payload)
    }
  }

  return {
    /** `service`: the first node. `services`: all nodes. */
    service: nodes[0]!,
    services: nodes,
    /** Listens on the network, behind a balancer if there are several nodes. Returns the base URL. */
    async listen(): Promise<string> {
      const urls = await Promise.all(nodes.map((node) => node.listen()))
      return urls.length === 1 ? urls[0]! : startBalancerFor(urls)
    },
    environment,
    request,
    client,
    /** Creates a tenant. Returns a client with all scopes. */
    tenant: async (slug: string) => client(await makeTenant(environment, slug)),
  }
}

/** Starts each node in a separate process on a free port, as an operator would. Several nodes run behind a balancer.
 *  `log`: a file descriptor for the nodes' logs. `program`: a script to run instead of src/main.ts. */
export async function startProcess(settings: Environment, options: Nodes & { log?: number; program?: string } = {}) {
  const environment = await withEngineUrl({ PORT: '0', RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent', ...settings })
  const nodes = await Promise.all(
    Array.from({ length: countNodes(environment, options) }, async () => startOnFreePort(environment, options)),
  )
  const [first] = nodes
  return {
    url: nodes.length === 1 ? first!.url : await startBalancerFor(nodes.map(({ url }) => url)),
    /** The first node's process. */
    process: first!.process,
    /** What the first node has written to stderr, with the messages of log lines. */
    stderr: first!.stderr,
    /** The lines that the first node has written to stderr. */
    stderrLines: first!.stderrLines,
    nodes,
    /** Kills one node and restarts it on the same port. */
    async crash(index: number): Promise<void> {
      const { url, end } = nodes[index]!
      await end('SIGKILL')
      nodes[index] = await startNode({ ...environment, PORT: new URL(url).port }, options)
    },
    /** Stops every node. */
    async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      await Promise.all(nodes.map((node) => node.end(signal)))
    },
  }
}

/** Starts a node on a port that the operating system does not assign to connections. The port is then still free when
 *  the node restarts. */
async function startOnFreePort(environment: Environment, options: { log?: number; program?: string }) {
  if (environment.PORT !== '0') return startNode(environment, options)
  for (let attempt = 0; ; attempt++) {
    try {
      return await startNode({ ...environment, PORT: String(await freePort()) }, options)
    } catch (error) {
      if (attempt === 4 || !/is in use/.test(String(error))) throw error
    }
  }
}

async function startNode(environment: Environment, options: { log?: number; program?: string }) {
  const { log = 'ignore', program = 'src/main.ts' } = options
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', log, 'pipe'],
  })
  after(() => child.kill('SIGKILL'))
  let stderr = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr!.on('data', (chunk) => {
      stderr += chunk
      const ready = /API is at ([^\s"]+)/.exec(stderr)
      if (ready) resolve(ready[1]!)
    })
    child.once('exit', () => reject(new Error(`the server exited: ${stderr}`)))
  })

  return {
    url,
    process: child,
    /** The messages on stderr so far. */
    stderr: () => readMessages(stderr),
    stderrLines: () => stderr.split('\n'),
    async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      const ended = once(child, 'close')
      child.kill(signal)
      await ended
    },
  }
}

/** Replaces each log line with its message. Lines that are not JSON stay unchanged. */
export function readMessages(output: string): string {
  return output.replaceAll(/^\{.*\}$/gm, (line) => JSON.parse(line).msg)
}

/** Starts a balancer in front of these nodes, and returns its URL. */
async function startBalancerFor(urls: string[]): Promise<string> {
  const url = new URL(urls[0]!)
  url.port = String(await startBalancer(urls.map((nodeUrl) => Number(new URL(nodeUrl).port))))
  return url.href
}

/** On PostgreSQL a balancer assigns connections to nodes, so each request opens a new connection. */
const connectionHeaders: Record<string, string> = engine === 'postgres' ? { connection: 'close' } : {}

const checks = new Map<string, Promise<Check>>()

/** The check against the OpenAPI document that this server publishes. */
function checkOf(url: string): Promise<Check> {
  const check =
    checks.get(url) ??
    fetch(`${url}/openapi.json`, { headers: connectionHeaders }).then(async (response) => {
      const text = await response.text()
      return checkAgainst(() => text)
    })
  checks.set(url, check)
  check.catch(() => checks.delete(url)) // the next call tries again
  return check
}

/** A client over the network. */
export function networkClient(url: string, token: string): Client {
  return async (method, path, body, headers = {}) => {
    const check = await checkOf(url)
    const fetched = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...connectionHeaders,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isSentAsItIs(body) ? body : JSON.stringify(body) }),
    })
    const response = toResponse(fetched.status, Object.fromEntries(fetched.headers), await fetched.text())
    check(method, path, response)
    return response
  }
}

function isSentAsItIs(body: unknown): body is string | Buffer<ArrayBuffer> {
  return typeof body === 'string' || Buffer.isBuffer(body)
}

function toResponse(status: number, headers: Record<string, string>, text: string): Response {
  return {
    status,
    headers,
    text,
    body: text && headers['content-type']?.startsWith('application/json') ? JSON.parse(text) : undefined,
  }
}
