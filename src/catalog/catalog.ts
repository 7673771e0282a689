// The catalog: tenants, API keys, database servers and users. It never contains a tenant's records.

import type { Database, Value } from '../engine/database/database.ts'

export type Catalog = {
  /** The database server for new tenants unless another one is given. */
  defaultServer: string
  /** Only for reading: changes require a transaction. */
  database: Pick<Database, 'get' | 'all'>
  /** Runs `callback` in a transaction. Transactions run one at a time. Invalidates cached keys and tenants in every
   *  process, unless `effect` is `keepsCachedKeys`. */
  transaction<T>(callback: (database: Database) => Promise<T>, effect?: typeof keepsCachedKeys): Promise<T>
  /** Reads from a snapshot, without blocking writers. */
  snapshot<T>(callback: (database: Pick<Database, 'get' | 'all'>) => Promise<T>): Promise<T>
  /** Returns a number that changes whenever any process changes tenants, keys or servers. Calls within one tick of the
   *  event loop share a query, which runs after the last call, so the result covers everything committed before the
   *  call. */
  version(): Promise<number>
  /** Erases deleted rows from the file. Does nothing on PostgreSQL, where autovacuum does this. */
  compact(): Promise<void>
  close(): Promise<void>
}

/** For frequent transactions that do not change tenants, keys or servers, such as sign-ins: cached keys stay valid. */
export const keepsCachedKeys = { keepsCachedKeys: true } as const

/** Runs one statement in a transaction of its own, which keeps cached keys valid. Returns the number of changed rows. */
export function runStatement(catalog: Catalog, sql: string, values: readonly Value[]): Promise<number> {
  return catalog.transaction(async (database) => database.run(sql, values), keepsCachedKeys)
}

/** Database servers without a row in `database_servers`: the SQLite files in DATA_DIR, and the server of
 *  DATABASE_URL. */
export const builtInServers = { files: 'sqlite', catalog: 'main' } as const

/** States of a tenant whose database is being created or deleted. Other operations treat such a tenant as missing. */
export const transitionalStates = `('creating', 'deleting')`

/** Wraps a query: all calls within one tick of the event loop share one query, which runs after the last call. */
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

/** Wraps a version query; calls `onChange` when the result differs from the last one. */
export function watchVersion(read: () => Promise<number>, onChange: () => void): () => Promise<number> {
  let last: number | undefined
  return async () => {
    const current = await read()
    if (current !== last) onChange()
    last = current
    return current
  }
}

/** Whether requests are served: a trial is active until the end of its last day, UTC (contract §12). */
export function isActive(tenant: { state: string; trial_ends: string | null }, now: Date): boolean {
  if (tenant.state === 'trial') return now.toISOString().slice(0, 10) <= tenant.trial_ends!
  return tenant.state === 'active'
}
