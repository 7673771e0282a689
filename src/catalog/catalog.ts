// The catalog: tenants, API keys, database servers and users. It never contains a tenant's records.

import type { Database } from '../database/database.ts'

export type Catalog = {
  /** The database server for new tenants unless another one is given. */
  defaultServer: string
  /** For reading; changes need a transaction. */
  database: Pick<Database, 'get' | 'all'>
  /** Runs work in a transaction; transactions run one at a time. Invalidates cached keys and tenants in every process, except
   *  with `keepsKeys`. */
  transaction<T>(work: (database: Database) => Promise<T>, effect?: typeof keepsKeys): Promise<T>
  /** Reads from a snapshot, while others write. */
  snapshot<T>(work: (database: Pick<Database, 'get' | 'all'>) => Promise<T>): Promise<T>
  /** A number that changes whenever any process changes tenants, keys or servers. Calls within one tick of the event loop share
   *  a query, which runs after the last of them, so the result covers everything committed before the call. */
  version(): Promise<number>
  /** Removes what is left of deleted rows from the file. On PostgreSQL, autovacuum does. */
  compact(): Promise<void>
  close(): Promise<void>
}

/** For frequent transactions that do not touch tenants, keys or servers (sign-ins, say), so that cached keys stay valid. */
export const keepsKeys = { keepsKeys: true } as const

/** Database servers without a row in `database_servers`: the SQLite files in DATA_DIR, and the server of DATABASE_URL. */
export const builtInServers = { files: 'sqlite', catalog: 'main' } as const

/** States of a tenant whose database is being created or deleted. Such a tenant counts as missing everywhere else. */
export const transitionalStates = `('creating', 'deleting')`

/** Shares one query among all calls in a tick of the event loop; it runs after the last of them. */
export function coalescePerTick<T>(query: () => T | Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      pending = undefined
      return query()
    })
    return pending
  }
}
