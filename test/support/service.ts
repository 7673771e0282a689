// Runs a real service with its own data directory, and talks to it only through its public interfaces.

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
import { openPepper } from '../../src/catalog/pepper.ts'
import { runCommand } from '../../src/cli/run-command.ts'
import { readConfig } from '../../src/config.ts'
import { UserError } from '../../src/lib/user-error.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { openDatabases } from '../../src/tenants/open-databases.ts'
import { createNodeChooser, startBalancer } from './balancer.ts'
import { watchStatements } from './distributed.ts'
import { freePort } from './free-port.ts'
import { type Check, checkAgainst, documentOf } from './openapi-check.ts'
import { scratch } from './scratch.ts'
import { recordingTerminal } from './terminal.ts'

/** A parsed JSON value, which tests access freely. */
// biome-ignore lint/suspicious/noExplicitAny: an assertion is the check
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

/** On PostgreSQL, every test file fails if one of its statements would be refused by Citus. */
if (engine === 'postgres') {
  const refused = watchStatements()
  process.on('exit', () => {
    for (const [sql, reason] of refused) console.error(`Citus would refuse ${reason}\n${sql}`)
    if (refused.size > 0) process.exitCode = 1
  })
}

/** `numRuns` for a property. On PostgreSQL each run takes three times as long, so there are a third as many unless
 *  `FAULTS=full`. */
export const runs = (count: number) =>
  engine === 'postgres' && process.env.FAULTS !== 'full' ? Math.ceil(count / 3) : count

/** On SQLite the environment as it is; on PostgreSQL with a separate database for each data directory. A given
 *  DATABASE_URL is kept, even if it is empty, which means SQLite. */
export async function withEngineUrl(environment: Environment): Promise<Environment> {
  const { DATA_DIR, DATABASE_URL } = environment
  if (!process.env.TEST_POSTGRES || DATABASE_URL !== undefined || !DATA_DIR) return environment
  const database = databases.get(DATA_DIR) ?? createDatabase(process.env.TEST_POSTGRES, DATA_DIR)
  databases.set(DATA_DIR, database)
  return { ...environment, DATABASE_URL: await database }
}

/** The URL of the database of each data directory. */
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

/** Creates the installation in an empty data directory, as the first start of a server does: commands do not create
 *  one. */
export async function prepare(environment: Environment): Promise<unknown> {
  const { DATA_DIR = '', DATABASE_URL = '', API_KEY_PEPPER = '' } = await withEngineUrl(environment)
  const place = `${DATA_DIR} ${DATABASE_URL}`
  if (prepared.has(place) || !existsSync(DATA_DIR) || !statSync(DATA_DIR).isDirectory()) return
  prepared.add(place)
  const config = readConfig({ DATA_DIR, DATABASE_URL, API_KEY_PEPPER })
  try {
    return await (await openDatabases(config, resources, {}, 'existing')).close()
  } catch (error) {
    if (!(error instanceof UserError)) return prepared.delete(place) // the command reports the reason itself
  }
  const engine = await openDatabases(config, resources)
  await openPepper(engine.catalog, DATA_DIR, config.API_KEY_PEPPER).finally(() => engine.close())
}

/** Runs a command in this process. Returns its output and exit code. */
export function command(environment: Environment, ...line: string[]) {
  return commandWith(endpointsOf(resources), environment, ...line)
}

/** Likewise, for an API with these endpoints. */
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
  const made = await command(environment, 'tenant', 'create', slug)
  if (made.exitCode !== 0) throw new Error(made.stderr)
  return createKey(environment, slug, scopes)
}

export async function createKey(environment: Environment, slug: string, scopes = allScopes): Promise<string> {
  const made = await command(environment, 'key', 'create', slug, ...scopes.flatMap((scope) => ['--scope', scope]))
  if (made.exitCode !== 0) throw new Error(made.stderr)
  return made.stdout.trim()
}

/** The number of nodes where the engine supports several. Tests of things that each node keeps for itself ask for
 *  one. */
export type Nodes = { nodes?: number }

/** On PostgreSQL, several nodes serve the same database and requests go to them in turn. */
function countNodes(environment: Environment, { nodes = 2 }: Nodes): number {
  return environment.DATABASE_URL ? nodes : 1
}

/** Time limits that even a slow machine does not reach, and no database checks in between. Tests of these override
 *  them. */
const patient = {
  listTimeoutMs: 60_000,
  queueTimeoutMs: 60_000,
  redisTimeouts: { answerMs: 60_000, startMs: 60_000 },
  watchIntervalMs: 3_600_000,
}

/** Starts a service in this process, without rate limits or log unless set; it is closed after the tests. */
export async function startService(settings: Environment = {}, variations: ServiceOverrides & Nodes = {}) {
  const unlimited = { RATE_LIMIT_PER_MINUTE: '0', PANEL_RATE_LIMIT_PER_MINUTE: '0' }
  const quiet = { DATA_DIR: temporaryDirectory(), ...unlimited, LOG_LEVEL: 'silent' }
  const environment: Environment = await withEngineUrl({ ...quiet, ...settings })
  const config = readConfig({ PORT: '0', ...environment })
  const opening = Array.from({ length: countNodes(environment, variations) }, async () => {
    const node = await openService(config, { workers: 1, ...patient, ...variations })
    after(node.close)
    return node
  })
  const nodes = await Promise.all(opening)
  const next = createNodeChooser()
  const check = checkAgainst(() => documentOf(config, variations.resources ?? resources, variations.endpoints))

  /** Passes a request to the node whose turn it is, without a network, as if the HTTP server had parsed it. */
  async function request(method: string, path: string, headers: Record<string, string>, payload?: string | Buffer) {
    const { server } = nodes[next(nodes.length)]!
    const answer = await server.inject({ method: method as 'GET', url: config.API_BASE_PATH + path, headers, payload })
    const response = toResponse(answer.statusCode, answer.headers as Record<string, string>, answer.payload)
    check(method, path, response)
    return response
  }

  /** A client with an API key. A body of text or bytes is sent as it is, any other as JSON. */
  function client(token: string): Client {
    return (method, path, body, headers = {}) => {
      const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
      const payload = isRaw ? (body as string | Buffer | undefined) : JSON.stringify(body)
      return request(method, path, { authorization: `Bearer ${token}`, ...type, ...headers }, payload)
    }
  }

  return {
    /** `service`: the first node. `services`: all of them. */
    service: nodes[0]!,
    services: nodes,
    /** Listens on the network from now on; behind a balancer if there are several nodes. Returns the base URL. */
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

/** Starts the program in processes of its own, as an operator would, each on a free port; several nodes run behind a
 *  balancer. `log`: a file descriptor for their logs. `program`: a script to run instead of ours. */
export async function startProcess(settings: Environment, options: Nodes & { log?: number; program?: string } = {}) {
  const environment = await withEngineUrl({ PORT: '0', RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent', ...settings })
  const nodes = await Promise.all(
    Array.from({ length: countNodes(environment, options) }, async () => startOnFreePort(environment, options)),
  )
  const [first] = nodes
  return {
    url: nodes.length === 1 ? first!.url : await startBalancerFor(nodes.map(({ url }) => url)),
    /** The first node's. */
    process: first!.process,
    /** The first node's. */
    stderr: first!.stderr,
    nodes,
    /** Kills one node and restarts it on the same port. */
    async crash(at: number): Promise<void> {
      const { url, end } = nodes[at]!
      await end('SIGKILL')
      nodes[at] = await startNode({ ...environment, PORT: new URL(url).port }, options)
    },
    /** Stops every node. */
    async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      await Promise.all(nodes.map((node) => node.end(signal)))
    },
  }
}

/** Starts a node on a port that the system does not assign to connections, so that it is still free after a restart. */
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
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr!.on('data', (chunk) => {
      said += chunk
      const ready = /API is at ([^\s"]+)/.exec(said)
      if (ready) resolve(ready[1]!)
    })
    child.once('exit', () => reject(new Error(`the server ended: ${said}`)))
  })

  return {
    url,
    process: child,
    /** Its output so far, or all of it once it has exited. */
    stderr: () => readMessages(said),
    async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      const ended = once(child, 'close')
      child.kill(signal)
      await ended
    },
  }
}

/** The messages of log lines; lines that are not JSON are returned unchanged. */
export function readMessages(written: string): string {
  return written.replaceAll(/^\{.*\}$/gm, (line) => JSON.parse(line).msg)
}

/** The URL of a balancer in front of these nodes. */
async function startBalancerFor(urls: string[]): Promise<string> {
  const url = new URL(urls[0]!)
  url.port = String(await startBalancer(urls.map((each) => Number(new URL(each).port))))
  return url.href
}

/** Behind a balancer that sends each connection to the next node, each request uses a connection of its own. */
const perRequest: Record<string, string> = engine === 'postgres' ? { connection: 'close' } : {}

const checks = new Map<string, Promise<Check>>()

/** The check against the OpenAPI document that this server publishes. */
function checkOf(url: string): Promise<Check> {
  const known =
    checks.get(url) ??
    fetch(`${url}/openapi.json`, { headers: perRequest }).then(async (answer) => {
      const text = await answer.text()
      return checkAgainst(() => text)
    })
  checks.set(url, known)
  known.catch(() => checks.delete(url)) // the server may respond the next time
  return known
}

/** A client over the network. */
export function networkClient(url: string, token: string): Client {
  return async (method, path, body, headers = {}) => {
    const check = await checkOf(url)
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...perRequest,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const response = toResponse(answer.status, Object.fromEntries(answer.headers), await answer.text())
    check(method, path, response)
    return response
  }
}

function toResponse(status: number, headers: Record<string, string>, text: string): Response {
  return {
    status,
    headers,
    text,
    body: text && headers['content-type']?.startsWith('application/json') ? JSON.parse(text) : undefined,
  }
}
