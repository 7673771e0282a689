// A real PostgreSQL for measurements, with the durability it has by default: a commit is on the disk when it is answered.

import pg from 'pg'
import { startPostgres } from '../../test/support/postgres.ts'
import { familyProcessorTime, parentOf } from './machine.ts'

export type DatabaseServer = {
  /** Of a database that is empty at first. */
  url: string
  version: string
  /** The settings that the figures depend on, as the server has them. */
  settings: Record<string, string>
  /** Creates an empty database, and returns its URL. */
  createDatabase(name: string): Promise<string>
  query(sql: string): Promise<Record<string, unknown>[]>
  /** Numbers of transactions (and of savepoints) that have written so far. */
  transactions(): Promise<number>
  /** Processor time of all its processes so far, in microseconds; NaN where the system does not tell. */
  processorTime(): number
  end(): Promise<void>
}

const telling = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'wal_sync_method',
  'shared_buffers',
  'max_connections',
]

/** Starts a server with its default settings, but for these flags. */
export async function startDatabaseServer(flags: string[] = []): Promise<DatabaseServer> {
  const server = await startPostgres(flags)
  const client = new pg.Client(`${server.url}/postgres`)
  await client.connect()
  const query = async (sql: string) => (await client.query(sql)).rows
  const settings = await query(
    `select name, current_setting(name) as value from unnest(array['${telling.join("','")}']) name`,
  )
  const [backend] = await query('select pg_backend_pid() as pid')
  const postmaster = parentOf(backend!.pid as number)
  const { server_version: version, ...others } = Object.fromEntries(settings.map(({ name, value }) => [name, value]))
  return {
    url: `${server.url}/postgres`,
    version,
    settings: others,
    query,
    async createDatabase(name) {
      await query(`create database ${name}`)
      return `${server.url}/${name}`
    },
    transactions: async () => Number((await query('select pg_snapshot_xmax(pg_current_snapshot()) as next'))[0]!.next),
    processorTime: () => (postmaster === undefined ? Number.NaN : familyProcessorTime(postmaster)),
    async end() {
      await client.end()
      await server.remove()
    },
  }
}
