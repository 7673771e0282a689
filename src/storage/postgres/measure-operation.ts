// Measures operations on PostgreSQL, and reads the query plans of slow ones.

import type { Database } from '../../database/database.ts'
import {
  currentTimes,
  recordStatements,
  type SlowOperationLog,
  type SlowStatement,
} from '../monitoring/slow-operations.ts'

export type Measurement = {
  /** Runs and measures `work` on a connection. */
  run<T>(database: Database, work: () => Promise<T>): Promise<T>
  /** Call this when the operation has ended. */
  end(): void
}

/** Returns the query plan of a statement in a tenant's schema. */
type Explain = (tenant: string, sql: string) => Promise<string[]>

/** Returns a function that starts to measure an operation. That function returns undefined if the times are not
 *  needed. */
export function openMeasurements(log: SlowOperationLog | undefined, explain: Explain) {
  let isExplaining = false

  /** Reads the plans of one operation at a time: on a slow server, more plans would slow down everything else. */
  async function withPlans(tenant: string, statements: SlowStatement[]): Promise<SlowStatement[]> {
    if (isExplaining) return statements
    isExplaining = true
    const explained: SlowStatement[] = []
    for (const statement of statements)
      explained.push({ ...statement, plan: await explain(tenant, statement.sql).catch(() => null) })
    isExplaining = false
    return explained
  }

  return (tenantId: string, operation: string): Measurement | undefined => {
    const times = currentTimes()
    if (!times && !log) return undefined
    const queuedAt = performance.now()
    let startedAt: number | undefined
    let statements: SlowStatement[] = []

    async function run<T>(database: Database, work: () => Promise<T>): Promise<T> {
      startedAt ??= performance.now()
      if (!log) return work()
      const record = recordStatements(database)
      try {
        return await work()
      } finally {
        statements = record.end()
      }
    }

    function end(): void {
      const endedAt = performance.now()
      const queueMs = (startedAt ?? endedAt) - queuedAt
      const databaseMs = endedAt - queuedAt - queueMs
      if (times) times.queueMs += queueMs
      if (times) times.databaseMs += databaseMs
      if (!log || databaseMs < log.thresholdMs) return
      const slow = { tenantId, requestId: times?.requestId, operation, queueMs, databaseMs }
      void withPlans(tenantId, statements).then((explained) => log.report({ ...slow, statements: explained }))
    }

    return { run, end }
  }
}
