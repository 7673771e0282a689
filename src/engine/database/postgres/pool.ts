// Pooled connections to a PostgreSQL server. No other folder uses pg.

import pg from 'pg'
import type { Database, Dialect, Row } from '../database.ts'
import { isOutage, mayRunAgain, translateError } from './errors.ts'
import { connect, statementTimeoutMs, Transaction, type TransactionKind } from './transaction.ts'

export const postgresDialect: Dialect = {
  engine: 'postgres',
  integer: 'bigint',
  boolean: 'boolean',
  text: 'text collate "C"',
  tableEnd: '',
}

type Work<T> = (database: Database) => Promise<T>

export type Pool = {
  /** The maximum number of connections. */
  connections: number
  /** Runs `work` in a single transaction, in which unqualified names refer to `schema`. Throws Unavailable. */
  transaction<T>(schema: string, work: Work<T>, kind?: TransactionKind): Promise<T>
  /** Returns the first row of a statement that runs outside a transaction. Its names must be qualified. Throws
   *  Unavailable. */
  get<Shape extends Row = Row>(sql: string): Promise<Shape | undefined>
  /** Runs a statement with `$1` placeholders, outside a transaction. The statement is never prepared by name, so that
   *  it works through a transaction pooler. */
  query(statement: { text: string; values?: unknown[] }): Promise<{ rows: Row[]; rowCount: number | null }>
  close(): Promise<void>
}

/** An unused connection is kept this long, because a new connection has to read the tables' descriptions again. */
const idleTimeoutMs = 60_000
/** Connections are closed after this time, because a connection's server process caches 84 kB for every tenant that it
 *  has served. */
const maxLifetimeSeconds = 15 * 60

/** How long a request waits for a free or new connection. */
const connectTimeoutMs = 3000

/** The maximum number of attempts for a transaction that the server rolls back. */
const maxAttempts = 5

/** Opens a pool of at most `connections` connections to a server, however many tenants the server has. */
export function openPool(url: string, connections: number): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    idleTimeoutMillis: idleTimeoutMs,
    maxLifetimeSeconds,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    pipeline: true,
    types: { getTypeParser: (oid, format) => (oid === bigint ? Number : pg.types.getTypeParser(oid, format)) },
  })
  pool.on('error', () => {}) // an idle connection was lost; the next request opens another
  pool.on('connect', (client) => client.on('error', () => {})) // a busy one was lost; its statements fail

  return {
    connections,
    transaction: (schema, work, kind = 'write') => retryRollbacks(() => runTransaction(pool, schema, work, kind)),
    get: <Shape extends Row>(sql: string) => getRow<Shape>(pool, sql),
    query: (statement) => pool.query(statement),
    close: () => pool.end(),
  }
}

async function retryRollbacks<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt < maxAttempts && mayRunAgain(error)) continue
      throw translateError(error)
    }
  }
}

async function runTransaction<T>(pool: pg.Pool, schema: string, work: Work<T>, kind: TransactionKind): Promise<T> {
  const client = await connect(pool)
  const transaction = new Transaction(client, kind)
  let endOfSession: unknown // the server's last message; the statements after it fail without a code
  const noteEnd = (error: unknown) => {
    endOfSession ??= error
  }
  client.on('error', noteEnd)
  let failure: unknown
  try {
    transaction.begin(schema)
    const result = await work(transaction)
    await transaction.commit()
    return result
  } catch (error) {
    failure = mayRunAgain(endOfSession) ? endOfSession : await transaction.rollback(error)
    throw failure
  } finally {
    client.off('error', noteEnd)
    client.release(failure !== undefined && isOutage(failure))
  }
}

async function getRow<Shape extends Row>(pool: pg.Pool, sql: string): Promise<Shape | undefined> {
  const client = await connect(pool)
  let failure: unknown
  try {
    return (await client.query<Shape>(sql)).rows[0]
  } catch (error) {
    failure = translateError(error)
    throw failure
  } finally {
    client.release(failure !== undefined)
  }
}

/** The type id of bigint. Ids and counts are below 2^53, so they are read as numbers. */
const bigint = 20
