// Measures operations on PostgreSQL, and reads the query plans of slow ones.

import type { Database } from '../../database/database.ts'
import {
  measureOperation,
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
    const endMeasurement = measureOperation(log, tenantId, operation)
    if (!endMeasurement) return undefined
    let startedAt = Infinity
    let statements: SlowStatement[] = []

    async function run<T>(database: Database, work: () => Promise<T>): Promise<T> {
      startedAt = Math.min(startedAt, performance.now())
      if (!log) return work()
      const record = recordStatements(database)
      try {
        return await work()
      } finally {
        statements = record.end()
      }
    }

    function end(): void {
      endMeasurement!(Math.max(0, performance.now() - startedAt), () => withPlans(tenantId, statements))
    }

    return { run, end }
  }
}
