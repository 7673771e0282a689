// One transaction on a connection. Its statements are pipelined: each is sent at once, before the ones before it are answered,
// and the commit reports what none of them has reported.

import type { Socket } from 'node:net'
import type pg from 'pg'
import { type Database, type Row, Unavailable, type Value } from '../database.ts'
import { causeOf, isOutage, tellTooSlow } from './errors.ts'

/** A `read` transaction waits for no commit. A `snapshot` sees nothing that is committed after its first statement. The
 *  statements of a `migration` may take long. */
export type TransactionKind = 'write' | 'read' | 'snapshot' | 'migration'

const begins = {
  write: 'begin',
  read: 'begin read only',
  snapshot: 'begin isolation level repeatable read read only',
  migration: 'begin',
} as const satisfies Record<TransactionKind, string>

/** How long a statement may take. */
export const statementTimeoutMs = 10_000
/** The same in a migration: an index over millions of records. */
const migrationTimeoutMs = 15 * 60_000
/** The server cancels a statement this much earlier than this process stops waiting for it. */
const serverTimeoutLeadMs = 1000
/** How long a statement waits for a lock. A request may wait for two locks in turn, behind a request that does the same. The
 *  server rejects all of them before this process stops waiting, so that no work continues after its request was answered. */
const lockTimeoutMs = 3000
/** How long a change may leave the server waiting for its next statement. A node that froze in between holds the tenant's lock until
 *  the server ends its session: earlier than other nodes stop waiting for the lock, so that their changes only wait. */
const idleTimeoutMs = 2500

export class Transaction implements Database {
  readonly engine = 'postgres'
  readonly #client: pg.PoolClient
  readonly #kind: TransactionKind
  readonly #timeoutMs: number
  /** Statements that nobody awaits before the commit. */
  readonly #deferred: Promise<unknown>[] = []
  readonly #failures: unknown[] = []
  #hasBudget = false
  onStatement: Database['onStatement']

  constructor(client: pg.PoolClient, kind: TransactionKind) {
    this.#client = client
    this.#kind = kind
    this.#timeoutMs = kind === 'migration' ? migrationTimeoutMs : statementTimeoutMs
  }

  /** Begins the transaction. Unqualified names are those of `schema`. */
  begin(schema: string): void {
    this.#defer(this.#send(this.#opening(schema)))
  }

  /** Commits. Throws what made the transaction fail. */
  async commit(): Promise<void> {
    const committed = this.#send('commit')
    if (this.#kind === 'read') return // the next user of the connection finds the transaction ended
    await Promise.all([...this.#deferred, committed])
    // Committing a failed transaction is no error for the server: it reports that it has rolled back.
    if ((await committed).command !== 'COMMIT') throw new Error('the transaction could not be committed')
  }

  /** Ends the transaction after an error, which may be a consequence of an earlier one. Returns the cause. */
  async rollback(error: unknown): Promise<unknown> {
    const cause = causeOf(error, this.#failures)
    if (!isOutage(cause)) await this.#client.query('rollback').catch(() => {})
    return cause
  }

  async get(sql: string, values?: readonly Value[]): Promise<Row | undefined> {
    return (await this.#query(sql, values)).rows[0]
  }

  async all(sql: string, values?: readonly Value[]): Promise<Row[]> {
    return (await this.#query(sql, values)).rows
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
    // Waiting for a lock does not make a query slow: the holder of the lock makes the tenant unavailable.
    const values = [String(timeoutMs), String(Math.ceil(timeoutMs * 0.9))]
    this.runDeferred(`select set_config('statement_timeout', ?, true), set_config('lock_timeout', ?, true)`, values)
    this.#hasBudget = true
  }

  /** One message with all settings. An acknowledged change is on disk, whatever the defaults of the role or the server are.
   *  The server cancels what this process no longer waits for: a statement that waits for a lock would outlive its connection,
   *  and such sessions accumulate. */
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
    const sent = this.#send(numbered(sql), values as Value[])
    if (this.onStatement) measure(sent, sql, this.onStatement)
    return this.#hasBudget ? sent.catch(tellTooSlow) : sent
  }

  /** Sends a statement. All statements of one tick go out in one write: a system call for each would cost more than the
   *  statements themselves. */
  #send(text: string, values?: Value[]): Promise<pg.QueryResult> {
    const { stream } = (this.#client as unknown as { connection: { stream: Socket } }).connection // not in pg's types
    if (stream.writableCorked === 0) {
      stream.cork()
      process.nextTick(() => stream.uncork())
    }
    const query = { text, values, query_timeout: this.#timeoutMs } // not in pg's types
    const sent = this.#client.query(query)
    sent.catch((error: unknown) => this.#failures.push(error))
    return sent
  }

  /** Leaves the result of a statement to the commit. */
  #defer(sent: Promise<unknown>): void {
    sent.catch(() => {})
    this.#deferred.push(sent)
  }
}

function measure(sent: Promise<unknown>, sql: string, report: NonNullable<Database['onStatement']>): void {
  const startedAt = performance.now()
  const end = () => report(sql, performance.now() - startedAt)
  sent.then(end, end)
}

const numberedStatements = new Map<string, string>()

/** `?` → `$1`, `$2`, …: computed once per statement. No statement contains a question mark with another meaning. */
function numbered(sql: string): string {
  let text = numberedStatements.get(sql)
  if (text === undefined) {
    let place = 0
    text = sql.replaceAll('?', () => `$${++place}`)
    if (numberedStatements.size < 10_000 && sql.length < 2000) numberedStatements.set(sql, text)
  }
  return text
}

/** Any failure to get a connection is an outage, an unknown host name or an expired certificate included. */
export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    throw new Unavailable(message || code!) // the error of a host name with several addresses has no message
  }
}
