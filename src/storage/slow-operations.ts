// Finds out what an operation spends its time on: how long its request waits for the database, and which statements are slow.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '../database/database.ts'

/** What the operations of a request have taken so far. */
export type RequestTimes = { requestId: string; queueMs: number; databaseMs: number }

const requests = new AsyncLocalStorage<RequestTimes>()

/** Runs work whose operations are counted in these times. */
export function measured<T>(times: RequestTimes, work: () => T): T {
  return requests.run(times, work)
}

/** Undefined unless the request is measured. */
export function currentTimes(): RequestTimes | undefined {
  return requests.getStore()
}

/** One statement of an operation, without its values. `count`: how often it ran; `milliseconds`: in all. `plan`: a line per step; null
 *  if the database gave none. */
export type SlowStatement = { sql: string; count: number; milliseconds: number; plan: string[] | null }

/** `queueMs`: how long it waited; `databaseMs`: how long it ran, including its commit. */
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

export type StatementRecord = {
  /** Ends the record. Returns the statements that took longest, the longest first, without plans. */
  end(): SlowStatement[]
}

/** Of a slow operation. */
const maxStatements = 3

const explainable = /^\s*(select|insert|update|delete|with)\b/i

/** Records the statements that the database runs from now on. */
export function recordStatements(database: Pick<Database, 'onStatement'>): StatementRecord {
  const known = new Map<string, SlowStatement>()
  const listener = (sql: string, milliseconds: number) => {
    const statement = known.get(sql) ?? { sql, count: 0, milliseconds: 0, plan: null }
    statement.count++
    statement.milliseconds += milliseconds
    known.set(sql, statement)
  }
  database.onStatement = listener
  return {
    end() {
      if (database.onStatement === listener) database.onStatement = undefined
      return [...known.values()]
        .filter(({ sql }) => explainable.test(sql))
        .sort((one, other) => other.milliseconds - one.milliseconds)
        .slice(0, maxStatements)
        .map((each) => ({ ...each, milliseconds: rounded(each.milliseconds) }))
    },
  }
}

export function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10
}
