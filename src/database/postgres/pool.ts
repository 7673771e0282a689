// The only file that uses pg: pooled connections with our interface.

import type { Socket } from 'node:net'
import pg from 'pg'
import { type Database, type Row, Unavailable, type Value } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { causeOf, isConflict, isOutage, tellTooSlow, translated } from './errors.ts'

export const postgresDialect: Dialect = {
  engine: 'postgres',
  integer: 'bigint',
  boolean: 'boolean',
  text: 'text collate "C"',
  tableEnd: '',
}

type Work<T> = (database: Database) => Promise<T>

export type Pool = {
  /** How many there can be. */
  connections: number
  /** Runs work in one transaction in which unqualified names are those of `schema`. Work that only reads waits for no commit;
   *  in a snapshot it sees nothing that is committed after its first statement; in a migration its statements may take
   *  their time. Throws Unavailable. */
  transaction<T>(schema: string, work: Work<T>, kind?: Kind): Promise<T>
  /** The first row of one statement without a transaction around it, in which every name is qualified. Throws Unavailable. */
  get(sql: string): Promise<Row | undefined>
  /** One statement of a library that brings its own SQL with `$1`; never prepared by name, for poolers' sake. */
  query(statement: { text: string; values?: unknown[] }): Promise<{ rows: Row[]; rowCount: number | null }>
  close(): Promise<void>
}

type Kind = 'write' | 'read' | 'snapshot' | 'migration'

const begins = {
  write: 'begin',
  read: 'begin read only',
  snapshot: 'begin isolation level repeatable read read only',
  migration: 'begin',
} as const satisfies Record<Kind, string>

/** An unused connection is kept so long: a new one has to read the tables' descriptions again. Milliseconds. */
const idleTimeoutMs = 60_000
/** No connection lives longer: its server process remembers the tables of every tenant it has met, 84 kB each. Seconds. */
const maxLifetimeSeconds = 15 * 60

/** How long a request waits for a free connection, and a statement for its end. Milliseconds. */
const connectTimeoutMs = 3000
const statementTimeoutMs = 10_000
/** The same in a migration: an index over millions of records. */
const migrationTimeoutMs = 15 * 60_000
/** How long a statement waits for a lock. A request may wait for two in turn, behind a request that does as well: all of them
 *  are answered by the server before this side stops waiting, so that nothing goes on for a request that has had its answer.
 *  Milliseconds. */
const lockTimeoutMs = 3000

/** A transaction that lost against another one is run again: nothing of it has happened. */
const attempts = 5

/** Opens at most so many connections to a server, however many tenants are on it. */
export function openPool(url: string, connections: number): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    idleTimeoutMillis: idleTimeoutMs,
    maxLifetimeSeconds,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    pipeline: true,
    types: { getTypeParser },
  })
  pool.on('error', () => {}) // an idle connection was cut; the next request opens another
  pool.on('connect', (client) => client.on('error', () => {})) // one in use was cut; its statements tell

  /** Whatever keeps it from being had is an outage: a name that is not found, a certificate that has expired. */
  async function connect(): Promise<pg.PoolClient> {
    try {
      return await pool.connect()
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException
      throw new Unavailable(message || code!) // of a name with several addresses there is no message
    }
  }

  async function transaction<T>(schema: string, work: Work<T>, kind?: Kind): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(schema, work, kind)
      } catch (error) {
        if (attempt < attempts && isConflict(error)) continue
        throw translated(error)
      }
    }
  }

  async function once<T>(schema: string, work: Work<T>, kind: Kind = 'write'): Promise<T> {
    const client = await connect()
    const timeoutMs = kind === 'migration' ? migrationTimeoutMs : statementTimeoutMs
    const failures: unknown[] = []
    const send = sender(client, timeoutMs, failures)
    const pending: Promise<unknown>[] = []
    let failure: unknown
    try {
      // Sent at once with the first statement of the work: the connection is pipelined.
      const begun = send(opening(schema, kind, timeoutMs))
      begun.catch(() => {}) // the statements behind it fail with it
      pending.push(begun)
      const result = await work(databaseOf(send, pending))
      const commit = send('commit')
      if (kind === 'read') return result // whoever has the connection next finds the transaction ended
      await Promise.all([...pending, commit])
      // The commit of a failed transaction is no error for the server: it says that it has rolled back.
      if ((await commit).command !== 'COMMIT') throw new Error('the transaction could not be committed')
      return result
    } catch (error) {
      failure = causeOf(error, failures)
      if (!isOutage(failure)) await client.query('rollback').catch(() => {})
      throw failure
    } finally {
      client.release(failure !== undefined && isOutage(failure))
    }
  }

  return {
    connections,
    transaction,
    async get(sql) {
      const client = await connect()
      let failure: unknown
      try {
        return (await client.query(sql)).rows[0]
      } catch (error) {
        failure = translated(error)
        throw failure
      } finally {
        client.release(failure !== undefined)
      }
    },
    query: ({ text, values }) => pool.query({ text, values }),
    close: () => pool.end(),
  }
}

/** One message for all of it. An answered change is on the disk, whatever the role or the server has by default. The server
 *  ends what we no longer wait for: a statement behind a lock would outlive its connection, and such sessions pile up. */
function opening(schema: string, kind: Kind, timeoutMs: number): string {
  const settings = {
    search_path: `"${schema}"`,
    synchronous_commit: 'on',
    statement_timeout: timeoutMs - 1000, // the server is to be the first to lose patience
    lock_timeout: kind === 'migration' ? timeoutMs - 1000 : lockTimeoutMs,
    idle_in_transaction_session_timeout: timeoutMs, // a node that froze gives its locks back
  }
  return [begins[kind], ...Object.entries(settings).map(([name, value]) => `set local ${name} to ${value}`)].join('; ')
}

type Send = (text: string, values?: Value[]) => Promise<pg.QueryResult>

/** Sends statements; those of one turn go in one write, since a system call for each would cost more than all the rest.
 *  `failures` gathers what they fail with. */
function sender(client: pg.PoolClient, timeoutMs: number, failures: unknown[]): Send {
  const { connection } = client as unknown as { connection: { stream: Socket } } // pg does not declare it
  return (text, values) => {
    const { stream } = connection
    if (stream.writableCorked === 0) {
      stream.cork()
      process.nextTick(() => stream.uncork())
    }
    const query = { text, values, query_timeout: timeoutMs } // a setting of pg's that it does not declare
    const sent = client.query(query)
    sent.catch((error) => failures.push(error))
    return sent
  }
}

/** `pending` gathers what the commit has to wait for. */
function databaseOf(send: Send, pending: Promise<unknown>[]): Database {
  let isLimited = false
  async function query(sql: string, values: readonly Value[] = []): Promise<pg.QueryResult> {
    const sent = send(numbered(sql), values as Value[])
    return isLimited ? sent.catch(tellTooSlow) : sent
  }
  function limit(milliseconds: number): void {
    const timeoutMs = Math.ceil(milliseconds)
    // To wait for a lock is not to be slow: whoever holds it keeps the tenant away.
    const values = [String(timeoutMs), String(Math.ceil(timeoutMs * 0.9))]
    later(`select set_config('statement_timeout', ?, true), set_config('lock_timeout', ?, true)`, values)
    isLimited = true
  }
  function later(sql: string, values?: readonly Value[]): void {
    const sent = query(sql, values)
    sent.catch(() => {}) // the commit tells
    pending.push(sent)
  }
  return {
    engine: 'postgres',
    get: async (sql, values) => (await query(sql, values)).rows[0],
    all: async (sql, values) => (await query(sql, values)).rows,
    texts: async (sql, values) => (await query(sql, values)).rows.map((row) => Object.values(row)[0] as string),
    setBudget: limit,
    run: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
    runDeferred: later,
    // A failed statement poisons the transaction, up to the savepoint.
    attempt: async (sql, values): Promise<Row | undefined> => {
      const [, result] = await Promise.allSettled([query('savepoint attempt'), query(sql, values)])
      if (result.status === 'fulfilled') return result.value.rows[0]
      await query('rollback to attempt')
      throw translated(result.reason)
    },
  }
}

const numberedStatements = new Map<string, string>()

/** `?` → `$1`, `$2`, …: once per statement. No statement has a question mark of another meaning. */
function numbered(sql: string): string {
  let text = numberedStatements.get(sql)
  if (text === undefined) {
    let place = 0
    text = sql.replaceAll('?', () => `$${++place}`)
    if (numberedStatements.size < 10_000 && sql.length < 2000) numberedStatements.set(sql, text)
  }
  return text
}

const bigint = 20

/** Ids and counts are below 2^53; everything else is as pg has it. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === bigint ? Number : pg.types.getTypeParser(oid, format)
}
