// What the tests stand on: a real service on a data directory of its own, spoken to through its front doors.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import pg from 'pg'
import { runCommand } from '../src/cli/commands.ts'
import { readConfig } from '../src/config.ts'
import { openService, type Variations } from '../src/server.ts'

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
  const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** The engine of this run: PostgreSQL where test/postgres.ts has started one. */
export const engine = process.env.TEST_POSTGRES ? 'postgres' : 'sqlite'

/** The environment as it is, or on PostgreSQL with a database of its own for each data directory. A DATABASE_URL that is
 *  given stays, also the empty one: SQLite. */
export async function onEngine(environment: Environment): Promise<Environment> {
  const server = process.env.TEST_POSTGRES
  if (!server || environment.DATABASE_URL !== undefined || !environment.DATA_DIR) return environment
  const name = `test_${createHash('sha256').update(environment.DATA_DIR).digest('hex').slice(0, 20)}`
  const client = new pg.Client(`${server}/postgres`)
  await client.connect()
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
  if (rowCount === 0) await client.query(`create database ${name}`).catch(() => {}) // another command was first
  await client.end()
  return { ...environment, DATABASE_URL: `${server}/${name}` }
}

/** Runs one command in this process; what it wrote, and its exit code. */
export async function command(environment: Environment, ...line: string[]) {
  const written = { out: '', said: '' }
  const terminal = {
    out: (text: string) => {
      written.out += `${text}\n`
    },
    say: (text: string) => {
      written.said += `${text}\n`
    },
  }
  const exit = await runCommand(line, terminal, await onEngine(environment))
  return { exit, ...written }
}

export const everything = ['*:read', '*:write']

/** Makes a tenant and a key of it through the command line; the key's token. */
export async function makeTenant(environment: Environment, slug: string, scopes = everything): Promise<string> {
  const made = await command(environment, 'tenant', 'create', slug)
  if (made.exit !== 0) throw new Error(made.said)
  return makeKey(environment, slug, scopes)
}

export async function makeKey(environment: Environment, slug: string, scopes = everything): Promise<string> {
  const made = await command(environment, 'key', 'create', slug, ...scopes.flatMap((scope) => ['--scope', scope]))
  if (made.exit !== 0) throw new Error(made.said)
  return made.out.trim()
}

/** A running service in this process, without rate limit and log unless said otherwise; closed after the tests. */
export async function startService(settings: Environment = {}, variations: Variations = {}) {
  const quiet = { DATA_DIR: temporaryDirectory(), RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent' }
  const environment: Environment = await onEngine({ ...quiet, ...settings })
  const service = await openService(readConfig({ PORT: '0', ...environment }), { workers: 1, ...variations })
  after(service.close)
  const base = readConfig(environment).API_BASE_PATH

  /** A request past the network, as the server's own parser would deliver it. */
  async function request(method: string, path: string, headers: Record<string, string>, payload?: string | Buffer) {
    const answer = await service.server.inject({ method: method as 'GET', url: base + path, headers, payload })
    return toResponse(answer.statusCode, answer.headers as Record<string, string>, answer.payload)
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
    service,
    environment,
    request,
    client,
    /** A new tenant, and a client that may do everything in it. */
    tenant: async (slug: string) => client(await makeTenant(environment, slug)),
  }
}

/** The program itself in a process of its own, on a free port, as an operator would start it. */
export async function startProcess(settings: Environment) {
  const environment = await onEngine({ PORT: '0', RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent', ...settings })
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  after(() => child.kill('SIGKILL'))
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
      const ready = /API is at (\S+)/.exec(said)
      if (ready) resolve(ready[1]!)
    })
    child.once('exit', () => reject(new Error(`the server ended: ${said}`)))
  })

  return {
    url,
    process: child,
    async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    },
  }
}

/** A client over the network. */
export function networkClient(url: string, token: string): Client {
  return async (method, path, body, headers = {}) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    })
    return toResponse(answer.status, Object.fromEntries(answer.headers), await answer.text())
  }
}

function toResponse(status: number, headers: Record<string, string>, text: string): Response {
  return {
    status,
    headers,
    text,
    body: text && headers['content-type']?.includes('json') ? JSON.parse(text) : undefined,
  }
}
