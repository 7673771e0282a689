// What the tests stand on: a real service on a data directory of its own, spoken to through its front doors.

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
import { inTurn, startBalancer } from './balancer.ts'
import { watchStatements } from './distributed.ts'
import { freePort } from './free-port.ts'
import { type Check, checkAgainst, documentOf } from './openapi-check.ts'
import { scratch } from './scratch.ts'

/** What JSON.parse gives: tests look into it freely. */
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

/** A directory that is gone after the tests of the file. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(scratch, 'tenantdesk-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** The engine of this run: PostgreSQL where test/support/postgres.ts has started one. */
export const engine = process.env.TEST_POSTGRES ? 'postgres' : 'sqlite'

/** Whatever a test is about, its file fails when one of its statements is none that a distributed server takes. */
if (engine === 'postgres') {
  const refused = watchStatements()
  process.on('exit', () => {
    for (const [sql, reason] of refused) console.error(`Citus would refuse ${reason}\n${sql}`)
    if (refused.size > 0) process.exitCode = 1
  })
}

/** How often a property is tried, for `numRuns`: every run draws others, and on PostgreSQL each takes three times as long. The
 *  full form (`FAULTS=full`) tries it as often there. */
export const runs = (count: number) =>
  engine === 'postgres' && process.env.FAULTS !== 'full' ? Math.ceil(count / 3) : count

/** The environment as it is, or on PostgreSQL with a database of its own for each data directory. A DATABASE_URL that is
 *  given stays, also the empty one: SQLite. */
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

/** Makes an installation in a data directory that is there and empty, as the first start of a server does: commands make none. */
export async function prepare(environment: Environment): Promise<unknown> {
  const { DATA_DIR = '', DATABASE_URL = '', API_KEY_PEPPER = '' } = await withEngineUrl(environment)
  const place = `${DATA_DIR} ${DATABASE_URL}`
  if (prepared.has(place) || !existsSync(DATA_DIR) || !statSync(DATA_DIR).isDirectory()) return
  prepared.add(place)
  const config = readConfig({ DATA_DIR, DATABASE_URL, API_KEY_PEPPER })
  try {
    return await (await openDatabases(config, resources, {}, 'existing')).close()
  } catch (error) {
    if (!(error instanceof UserError)) return prepared.delete(place) // the command says why
  }
  const engine = await openDatabases(config, resources)
  await openPepper(engine.catalog, DATA_DIR, config.API_KEY_PEPPER).finally(() => engine.close())
}

/** Runs one command in this process; what it wrote, and its exit code. */
export function command(environment: Environment, ...line: string[]) {
  return commandWith(endpointsOf(resources), environment, ...line)
}

/** Likewise, where the API has these endpoints. */
export async function commandWith(endpoints: readonly Endpoint[], environment: Environment, ...line: string[]) {
  const written = { stdout: '', stderr: '' }
  const terminal = {
    stdout: (text: string) => {
      written.stdout += `${text}\n`
    },
    stderr: (text: string) => {
      written.stderr += `${text}\n`
    },
    readLine: async () => '',
  }
  await prepare(environment)
  const application = { serve, scopes: async () => scopesOf(endpoints) }
  const exitCode = await runCommand(line, terminal, application, await withEngineUrl(environment))
  return { exitCode, ...written }
}

export const allScopes = ['*:read', '*:write']

/** Makes a tenant and a key of it through the command line; the key's token. */
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

/** How many nodes a test asks for where the engine serves several; said by those that look at what is one node's own. */
export type Nodes = { nodes?: number }

/** On PostgreSQL several nodes serve one database, and requests go to them in turn. */
function countNodes(environment: Environment, { nodes = 2 }: Nodes): number {
  return environment.DATABASE_URL ? nodes : 1
}

/** Time limits that a slow machine does not reach, and no checks of databases meanwhile; tests about these set them. */
const patient = {
  listTimeoutMs: 60_000,
  queueTimeoutMs: 60_000,
  redisTimeouts: { answerMs: 60_000, startMs: 60_000 },
  watchIntervalMs: 3_600_000,
}

/** A running service in this process, without rate limits and log unless said otherwise; closed after the tests. */
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
  const next = inTurn()
  const check = checkAgainst(() => documentOf(config, variations.resources ?? resources, variations.endpoints))

  /** A request past the network, as the server's own parser would deliver it, to the node whose turn it is. */
  async function request(method: string, path: string, headers: Record<string, string>, payload?: string | Buffer) {
    const { server } = nodes[next(nodes.length)]!
    const answer = await server.inject({ method: method as 'GET', url: config.API_BASE_PATH + path, headers, payload })
    const response = toResponse(answer.statusCode, answer.headers as Record<string, string>, answer.payload)
    check(method, path, response)
    return response
  }

  /** A client with an API key. A body that is text or bytes is sent as it is, anything else as JSON. */
  function client(token: string): Client {
    return (method, path, body, headers = {}) => {
      const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
      const payload = isRaw ? (body as string | Buffer | undefined) : JSON.stringify(body)
      return request(method, path, { authorization: `Bearer ${token}`, ...type, ...headers }, payload)
    }
  }

  return {
    /** The first node, and all of them. */
    service: nodes[0]!,
    services: nodes,
    /** The address of all of them on the network, from now on. */
    async listen(): Promise<string> {
      const urls = await Promise.all(nodes.map((node) => node.listen()))
      return urls.length === 1 ? urls[0]! : startBalancerFor(urls)
    },
    environment,
    request,
    client,
    /** A new tenant, and a client that may do everything in it. */
    tenant: async (slug: string) => client(await makeTenant(environment, slug)),
  }
}

/** The program itself in processes of its own, each on a free port, as an operator would start it; several nodes stand
 *  behind a balancer. `log`: where their logs go, a descriptor; nowhere unless given. `program`: another one than ours. */
export async function startProcess(settings: Environment, options: Nodes & { log?: number; program?: string } = {}) {
  const environment = await withEngineUrl({ PORT: '0', RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent', ...settings })
  const nodes = await Promise.all(
    Array.from({ length: countNodes(environment, options) }, async () => startOnFreePort(environment, options)),
  )
  const [first] = nodes
  return {
    url: nodes.length === 1 ? first!.url : await startBalancerFor(nodes.map(({ url }) => url)),
    /** Of the first node. */
    process: first!.process,
    /** Of the first node, likewise. */
    stderr: first!.stderr,
    nodes,
    /** Kills one node and starts it again at its address. */
    async crash(at: number): Promise<void> {
      const { url, end } = nodes[at]!
      await end('SIGKILL')
      nodes[at] = await startNode({ ...environment, PORT: new URL(url).port }, options)
    },
    /** Ends every node. */
    async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      await Promise.all(nodes.map((node) => node.end(signal)))
    },
  }
}

/** Starts a node on a port that stays its own: none that the system gives to a connection while the node is restarted. */
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
    /** What it has said so far, all of it once it has ended. */
    stderr: () => readMessages(said),
    async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      const ended = once(child, 'close')
      child.kill(signal)
      await ended
    },
  }
}

/** The texts of lines of the log; other lines as they are. */
export function readMessages(written: string): string {
  return written.replaceAll(/^\{.*\}$/gm, (line) => JSON.parse(line).msg)
}

/** The address of a balancer in front of the nodes at these addresses. */
async function startBalancerFor(urls: string[]): Promise<string> {
  const url = new URL(urls[0]!)
  url.port = String(await startBalancer(urls.map((each) => Number(new URL(each).port))))
  return url.href
}

/** Where a balancer gives each connection to the next node, each request gets a connection of its own. */
const perRequest: Record<string, string> = engine === 'postgres' ? { connection: 'close' } : {}

const checks = new Map<string, Promise<Check>>()

/** The check that a server's own document makes. */
function checkOf(url: string): Promise<Check> {
  const known =
    checks.get(url) ??
    fetch(`${url}/openapi.json`, { headers: perRequest }).then(async (answer) => {
      const text = await answer.text()
      return checkAgainst(() => text)
    })
  checks.set(url, known)
  known.catch(() => checks.delete(url)) // it may be up the next time
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
