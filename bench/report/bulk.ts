// The section on bulk requests.

import type { BulkOutcome } from '../suites/bulk.ts'
import { byName, markdownTable, outcomeTable, ratioOf } from './tables.ts'

/** Records per second of bulk requests, relative to those of single creates and to those of the engine alone. */
export function bulkRatios({ records, operations }: BulkOutcome): { ofCreates: number; ofEngine: number } {
  const [creates, , bulk] = operations
  const [engine, service] = bulk!.contenders
  const single = creates!.contenders.find(({ name }) => name === 'service')!
  return {
    ofCreates: (service!.figures.rate * records) / single.figures.rate,
    ofEngine: ratioOf(engine!.figures, service!.figures),
  }
}

export function bulkSection(outcome: BulkOutcome): string {
  const { records, operations, besides } = outcome
  const { ofCreates, ofEngine } = bulkRatios(outcome)
  const perSecond = Math.round(operations[2]!.contenders[1]!.figures.rate * records).toLocaleString('en')
  const rows = besides.map(({ method, place, alone, beside }) => [
    `${method}, ${place}`,
    ...[alone, beside].flatMap(({ p50, p99 }) => [p50.toFixed(1), p99.toFixed(1)]),
  ])
  return `## Bulk requests

A bulk request creates ${records.toLocaleString('en')} customers in one transaction and stores its response for its Idempotency-Key.
The service creates ${perSecond} records per second: ${ofCreates.toFixed(1)} times as many as with single requests, and
${ofEngine.toFixed(2)} times as many as the engine only (\`bench/baselines/engine-only.ts\`), which parses the same bodies and runs the
same inserts in one transaction, without checks, threads, and stored responses.

${outcomeTable(operations, byName)}

Other requests beside bulk requests that follow one another without a pause, sent one after another with a pause in between:

${markdownTable([['', 'p50 ms alone', 'p99', 'p50 ms beside', 'p99'], ...rows], 1)}`
}
