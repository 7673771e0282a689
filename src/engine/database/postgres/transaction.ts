// A transaction on a connection. Its statements are pipelined: each is sent without waiting for the results of earlier
// ones, and the commit reports the failures of statements that nobody has awaited.

import type { Socket } from 'node:net'
import type pg from 'pg'
import type { Database, Row, Value } from '../database.ts'
import { causeOf, isOutage, throwTooSlow, toUnavailable } from './errors.ts'

/** A `read` transaction does not wait for its commit. A `snapshot` does not see changes that are committed after its
 *  first statement. Statements in a `migration` may take a long time. */
export type TransactionKind = 'write' | 'read' | 'snapshot' | 'migration'

const begins = {
  write: 'begin',
  read: 'begin read only',
  snapshot: 'begin isolation level repeatable read read only',
  migration: 'begin',
} as const satisfies Record<TransactionKind, string>

export const statementTimeoutMs = 10_000
/** How long a statement in a migration may take, such as one that creates an index over millions of records. */
const migrationTimeoutMs = 15 * 60_000
/** The server cancels a statement this long before this process would stop waiting for it. */
const serverTimeoutLeadMs = 1000
/** How long a statement waits for a lock, except in a migration. A request may wait for several locks in turn, behind a
 *  request that is itself waiting for locks. The timeout is short enough that the server rejects both before this
 *  process stops waiting, so that no work continues after the response. */
const lockTimeoutMs = 3000
/** How long the server waits for the next statement of a change. If a node freezes between two statements, it holds the
 *  tenant's lock until the server terminates its session. Other nodes wait longer than this for the lock, so their
 *  changes are delayed but do not fail. */
const idleTimeoutMs = 2500

export class Transaction implements Database {
  readonly engine = 'postgres'
  readonly #client: pg.PoolClient
  readonly #kind: TransactionKind
  readonly #timeoutMs: number
  /** Results that only the commit awaits. */
  readonly #deferred: Promise<unknown>[] = []
  readonly #failures: unknown[] = []
  #hasBudget = false

  constructor(client: pg.PoolClient, kind: TransactionKind) {
    this.#client = client
    this.#kind = kind
    this.#timeoutMs = kind === 'migration' ? migrationTimeoutMs : statementTimeoutMs
  }

  /** Begins the transaction. Unqualified names refer to `schema`. */
  begin(schema: string): void {
    this.#defer(this.#send(this.#opening(schema)))
  }

  /** Commits, and throws if any statement has failed; a `read` transaction neither waits nor throws. The statement may
   *  have failed before a rollback to a savepoint, after which the server would commit. */
  async commit(): Promise<void> {
    if (this.#kind !== 'read' && this.#failures.length > 0) throw this.#failures[0]
    const committed = this.#send('commit')
    if (this.#kind === 'read') return // the commit is pipelined: it completes before the connection's next transaction
    await Promise.all([...this.#deferred, committed])
    // The server does not report an error for the commit of a failed transaction, only that it has rolled back.
    if ((await committed).command !== 'COMMIT') throw new Error('the transaction could not be committed')
  }

  /** Rolls back after an error. Returns the error's cause, which may be an earlier error. */
  async rollback(error: unknown): Promise<unknown> {
    const cause = causeOf(error, this.#failures)
    if (!isOutage(cause)) await this.#client.query('rollback').catch(() => {})
    return cause
  }

  async get<Shape extends Row = Row>(sql: string, values?: readonly Value[]): Promise<Shape | undefined> {
    return (await this.#query(sql, values)).rows[0] as Shape | undefined
  }

  async all<Shape extends Row = Row>(sql: string, values?: readonly Value[]): Promise<Shape[]> {
    return (await this.#query(sql, values)).rows as Shape[]
  }

  async texts(sql: string, values?: readonly Value[]): Promise<string[]> {
    return (await this.#query(sql, values)).rows.map((row) => Object.values(row)[0] as string)
  }

  async run(sql: string, values?: readonly Value[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0
  }

  runDeferred(sql: string, values?: readonly Value[]): void {
    this.#defer(this.#query(sql, values))
  }

  setBudget(milliseconds: number): void {
    const timeoutMs = Math.ceil(milliseconds)
    // The lock timeout is shorter, so that waiting for a lock ends with Unavailable and not with TooSlow.
    const values = [String(timeoutMs), String(Math.ceil(timeoutMs * 0.9))]
    this.runDeferred(`select set_config('statement_timeout', ?, true), set_config('lock_timeout', ?, true)`, values)
    this.#hasBudget = true
  }

  /** Returns the statements that begin the transaction, joined so that they are sent as one message. The settings
   *  override the role's and the server's defaults. Synchronous commits ensure that an acknowledged change is on disk.
   *  The timeouts make the server cancel statements that this process no longer waits for. Otherwise, a statement that
   *  waits for a lock would outlive its connection, and such sessions would accumulate. */
  #opening(schema: string): string {
    const serverTimeoutMs = this.#timeoutMs - serverTimeoutLeadMs
    const settings = {
      search_path: `"${schema}"`,
      synchronous_commit: 'on',
      statement_timeout: serverTimeoutMs,
      lock_timeout: this.#kind === 'migration' ? serverTimeoutMs : lockTimeoutMs,
      idle_in_transaction_session_timeout: this.#kind === 'write' ? idleTimeoutMs : this.#timeoutMs,
    }
    const statements = Object.entries(settings).map(([name, value]) => `set local ${name} to ${value}`)
    return [begins[this.#kind], ...statements].join('; ')
  }

  async #query(sql: string, values: readonly Value[] = []): Promise<pg.QueryResult> {
    const result = this.#send(numberPlaceholders(sql), values as Value[])
    return this.#hasBudget ? result.catch(throwTooSlow) : result
  }

  /** Sends a statement. All statements of a tick are sent in a single write: a system call for each would take longer
   *  than the statements themselves. */
  #send(text: string, values: Value[] = []): Promise<pg.QueryResult> {
    const { stream } = (this.#client as unknown as { connection: { stream: Socket } }).connection // not in pg's types
    if (stream.writableCorked === 0) {
      stream.cork()
      process.nextTick(() => stream.uncork())
    }
    const query = { text, values, query_timeout: this.#timeoutMs } // not in pg's types
    const result = this.#client.query(query)
    result.catch((error: unknown) => this.#failures.push(error))
    return result
  }

  /** Lets the commit report a statement's failure. */
  #defer(result: Promise<unknown>): void {
    result.catch(() => {})
    this.#deferred.push(result)
  }
}

const numberedStatements = new Map<string, string>()

/** Replaces each `?` with `$1`, `$2`, …, and caches the result for short statements. No statement contains a question
 *  mark with another meaning. */
function numberPlaceholders(sql: string): string {
  let text = numberedStatements.get(sql)
  if (text === undefined) {
    let number = 0
    text = sql.replaceAll('?', () => `$${++number}`)
    if (numberedStatements.size < 10_000 && sql.length < 2000) numberedStatements.set(sql, text)
  }
  return text
}

/** Throws Unavailable. Any failure to connect is treated as an outage, even an unknown host name or an expired
 *  certificate. */
export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw toUnavailable(error as Error)
  }
}
