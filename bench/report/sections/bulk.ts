// Writes the report's section on bulk requests.

import { bulk } from '../../harness/operations.ts'
import type { MedianFigures, Row } from '../../harness/rows.ts'
import type { BulkOutcome } from '../../suites/bulk.ts'
import { byName, markdownTable, outcomeTable, ratioOf } from '../tables.ts'

/** Returns the records per second of bulk requests, relative to single creates and to the engine alone. */
export function bulkRatios({ records, operations }: BulkOutcome): { ratioToCreates: number; ratioToEngine: number } {
  const service = figuresOf(operations, bulk.name, 'service')
  return {
    ratioToCreates: (service.rate * records) / figuresOf(operations, 'create', 'service').rate,
    ratioToEngine: ratioOf(figuresOf(operations, bulk.name, 'engine only'), service),
  }
}

function figuresOf(rows: Row[], operation: string, contender: string): MedianFigures {
  const row = rows.find((row) => row.operation === operation)!
  return row.contenders.find(({ name }) => name === contender)!.figures
}

export function bulkSection(outcome: BulkOutcome): string {
  const { records, operations, otherRequests } = outcome
  const { ratioToCreates, ratioToEngine } = bulkRatios(outcome)
  const perSecond = Math.round(figuresOf(operations, bulk.name, 'service').rate * records).toLocaleString('en')
  const rows = otherRequests.map(({ method, place, alone, underLoad }) => [
    `${method}, ${place}`,
    ...[alone, underLoad].flatMap(({ p50, p99 }) => [p50.toFixed(1), p99.toFixed(1)]),
  ])
  return `## Bulk requests

Each bulk request creates ${records.toLocaleString('en')} customers in one transaction, which also stores the response
for the Idempotency-Key. The service creates ${perSecond} records per second. That is ${ratioToCreates.toFixed(1)} times
its rate with single requests, and ${ratioToEngine.toFixed(2)} times the rate of the engine alone
(\`bench/baselines/engine-only.ts\`). The engine alone parses the same bodies and runs the same inserts in one
transaction, but does not check anything, use threads or store responses.

${outcomeTable(operations, byName)}

The next table shows the latency of single requests that are sent one at a time, with pauses between them. It is
measured first without other load (*alone*), and then while bulk requests run back to back (*during bulk*).

${markdownTable([['', 'p50 ms alone', 'p99', 'p50 ms during bulk', 'p99'], ...rows], 1)}`
}
