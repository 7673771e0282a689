// Measures how operations spend their time: how long they wait in queues, and which statements are slow.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Awaitable, Database } from '../../database/database.ts'

/** How long a request's operations have waited in queues so far, and how long they have run. */
export type RequestTimes = { requestId: string; queueMs: number; databaseMs: number }

const requests = new AsyncLocalStorage<RequestTimes>()

/** Runs `work`, and adds its operations' times to `times`. */
export function measureOperations<T>(times: RequestTimes, work: () => T): T {
  return requests.run(times, work)
}

/** One statement of an operation, without its values. `count`: how often it ran; `milliseconds`: how long it ran in
 *  total. `plan`: one line per step; null if the database returned no plan. */
export type SlowStatement = { sql: string; count: number; milliseconds: number; plan: string[] | null }

/** `queueMs`: how long the operation waited; `databaseMs`: how long it ran, including its commit. */
export type SlowOperation = {
  tenantId: string
  requestId: string | undefined
  operation: string
  queueMs: number
  databaseMs: number
  statements: SlowStatement[]
}

/** Reports operations that run longer than the threshold. */
export type SlowOperationLog = { thresholdMs: number; report(operation: SlowOperation): void }

/** Called when an operation has ended: `databaseMs` of the time since `measureOperation` was spent in the database.
 *  `listStatements` is called if the operation was slow. */
export type EndMeasurement = (databaseMs: number, listStatements: () => Awaitable<SlowStatement[]>) => void

/** Measures an operation that is queued now. Returns undefined if its times are not needed. */
export function measureOperation(
  log: SlowOperationLog | undefined,
  tenantId: string,
  operation: string,
): EndMeasurement | undefined {
  const times = requests.getStore() // undefined if the request is not being measured
  if (!times && !log) return undefined
  const queuedAt = performance.now()
  return async (databaseMs, listStatements) => {
    const queueMs = Math.max(0, performance.now() - queuedAt - databaseMs)
    if (times) times.databaseMs += databaseMs
    if (times) times.queueMs += queueMs
    if (!log || databaseMs < log.thresholdMs) return
    const statements = await listStatements()
    log.report({ tenantId, requestId: times?.requestId, operation, queueMs, databaseMs, statements })
  }
}

export type StatementRecord = {
  /** Stops recording. Returns the slowest statements, slowest first, without their plans. */
  end(): SlowStatement[]
}

/** A report of a slow operation contains at most this many statements. */
const maxStatements = 3

const explainable = /^\s*(select|insert|update|delete|with)\b/i

/** Records the statements that the database runs from now on. */
export function recordStatements(database: Pick<Database, 'onStatement'>): StatementRecord {
  const statements = new Map<string, SlowStatement>()
  const listener = (sql: string, milliseconds: number) => {
    const statement = statements.get(sql) ?? { sql, count: 0, milliseconds: 0, plan: null }
    statement.count++
    statement.milliseconds += milliseconds
    statements.set(sql, statement)
  }
  database.onStatement = listener
  return {
    end() {
      if (database.onStatement === listener) database.onStatement = undefined
      return [...statements.values()]
        .filter(({ sql }) => explainable.test(sql))
        .sort((a, b) => b.milliseconds - a.milliseconds)
        .slice(0, maxStatements)
        .map((statement) => ({ ...statement, milliseconds: rounded(statement.milliseconds) }))
    },
  }
}

export function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10
}
