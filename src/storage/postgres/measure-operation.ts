// Measures operations on PostgreSQL, and asks for the plans of slow ones.

import type { Database } from '../../database/database.ts'
import { currentTimes, recordStatements, type SlowOperationLog, type SlowStatement } from '../slow-operations.ts'

export type Measurement = {
  /** Runs the operation on a connection. */
  run<T>(database: Database, work: () => Promise<T>): Promise<T>
  /** To be called when the operation has ended. */
  end(): void
}

/** Asks for the plan of a statement of a tenant. */
type Explain = (tenant: string, sql: string) => Promise<string[]>

/** Returns a function that starts to measure an operation; it returns undefined if nobody wants to know. */
export function openMeasurements(log: SlowOperationLog | undefined, explain: Explain) {
  let isExplaining = false

  /** One at a time: where everything is slow, plans would make it slower. */
  async function withPlans(tenant: string, statements: SlowStatement[]): Promise<SlowStatement[]> {
    if (isExplaining) return statements
    isExplaining = true
    const explained: SlowStatement[] = []
    for (const each of statements) explained.push({ ...each, plan: await explain(tenant, each.sql).catch(() => null) })
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
