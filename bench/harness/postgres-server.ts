// Starts a PostgreSQL server with the default durability settings: a commit is acknowledged once it is on disk.

import pg from 'pg'
import { startPostgres } from '../../test/support/postgres.ts'
import { familyProcessorTime, parentOf } from './machine.ts'

export type DatabaseServer = {
  /** The URL of an empty database. */
  url: string
  version: string
  /** Settings that affect the results. */
  settings: Record<string, string>
  /** Creates an empty database, and returns its URL. */
  createDatabase(name: string): Promise<string>
  query(sql: string): Promise<Record<string, unknown>[]>
  /** The number of write transactions and savepoints so far. */
  transactions(): Promise<number>
  /** CPU time of all the server's processes so far, in microseconds; NaN if unknown. */
  processorTime(): number
  end(): Promise<void>
}

const reportedSettings = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'wal_sync_method',
  'shared_buffers',
  'max_connections',
]

/** `flags`: command-line options for the server, in addition to the default settings. */
export async function startDatabaseServer(flags: string[] = []): Promise<DatabaseServer> {
  const server = await startPostgres(flags)
  const client = new pg.Client(`${server.url}/postgres`)
  await client.connect()
  const query = async (sql: string) => (await client.query(sql)).rows
  const settings = await query(
    `select name, current_setting(name) as value from unnest(array['${reportedSettings.join("','")}']) name`,
  )
  const [backend] = await query('select pg_backend_pid() as pid')
  const postmaster = parentOf(backend!.pid as number)
  const { server_version: version, ...otherSettings } = Object.fromEntries(
    settings.map(({ name, value }) => [name, value]),
  )
  return {
    url: `${server.url}/postgres`,
    version,
    settings: otherSettings,
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
