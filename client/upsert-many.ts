// Creates or updates any number of records: splits a stream into bulk requests, keeps several requests in flight, and
// reports the outcome of each record in order.

import { TenantdeskError } from './errors.ts'
import type { BulkFailure, BulkOperation, BulkResponse } from './types.ts'

/** `batchSize`: records per request (by default 1000, or as many as the server accepts if that is less). `inFlight`: how
 *  many requests are sent at the same time (by default 3). `handling`: whether fields that do not exist are an error (`strict`, the default) or ignored
 *  (`lenient`). */
export type UpsertManyOptions = {
  batchSize?: number
  inFlight?: number
  handling?: 'strict' | 'lenient'
  signal?: AbortSignal
}

/** The outcome for one record. `given`: the record as the caller passed it. */
export type UpsertOutcome<Given, Item> =
  | { outcome: 'created' | 'updated'; given: Given; record: Item }
  | { outcome: 'failed'; given: Given; failure: BulkFailure }

/** How many operations a bulk request may have, unless the server has another limit (BULK_LIMIT). */
const maxOperations = 1000

/** How many records the next batches have. The server's first refusal lowers it. */
type BatchSize = { records: number }

/** Sends one bulk request, as soon as the rate limit allows it. */
type SendBulk = (
  operations: readonly BulkOperation[],
  options: { mode: 'each'; idempotencyKey: string; handling?: 'strict' | 'lenient'; signal: AbortSignal },
) => Promise<BulkResponse>

/** Maximum length of the JSON text of a request, in UTF-16 code units. The service accepts four requests of this size
 *  from a tenant at a time. */
const maxBatchLength = 2 ** 21

type Batch<Given> = { given: Given[]; operations: BulkOperation[]; ids: Set<string> }
type SentBatch<Given, Item> = { ids: Set<string>; outcomes: Promise<UpsertOutcome<Given, Item>[]> }

/** If a whole request fails, throws its error. The outcomes of the remaining records are then unknown, but it is safe
 *  to send all records a second time. Ending the iteration early aborts the requests in flight. */
export async function* upsertMany<Given extends { external_id: string }, Item>(
  sendBulk: SendBulk,
  resource: string,
  records: Iterable<Given> | AsyncIterable<Given>,
  { batchSize = maxOperations, inFlight = 3, handling, signal }: UpsertManyOptions = {},
): AsyncGenerator<UpsertOutcome<Given, Item>> {
  const cancellation = new AbortController()
  const options: SendOptions = {
    ...(handling && { handling }),
    signal: AbortSignal.any([cancellation.signal, ...(signal ? [signal] : [])]),
  }
  const size = { records: batchSize }
  const sentBatches: SentBatch<Given, Item>[] = []
  try {
    for await (const batch of batchesOf(resource, records, size)) {
      while (sentBatches.length >= inFlight || sentBatches.some(({ ids }) => overlaps(ids, batch.ids)))
        yield* await next(sentBatches)
      const outcomes = send<Given, Item>((operations) => sendParts(sendBulk, operations, options, size), batch)
      outcomes.catch(() => {}) // next() reports the error later
      sentBatches.push({ ids: batch.ids, outcomes })
    }
    while (sentBatches.length > 0) yield* await next(sentBatches)
  } finally {
    cancellation.abort()
  }
}

/** Whether two batches write the same record. Such batches are never in flight at the same time, because one request
 *  may overtake the other. */
function overlaps(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].some((id) => other.has(id))
}

function next<Given, Item>(sentBatches: SentBatch<Given, Item>[]): Promise<UpsertOutcome<Given, Item>[]> {
  return sentBatches.shift()!.outcomes
}

async function* batchesOf<Given extends { external_id: string }>(
  resource: string,
  records: Iterable<Given> | AsyncIterable<Given>,
  size: BatchSize,
): AsyncGenerator<Batch<Given>> {
  let batch: Batch<Given> = { given: [], operations: [], ids: new Set() }
  let length = 0
  for await (const given of records) {
    const { external_id, ...body } = given
    const operation = { method: 'PUT', resource, external_id, body } as BulkOperation
    const addedLength = JSON.stringify(operation).length
    if (batch.given.length >= size.records || (batch.given.length > 0 && length + addedLength > maxBatchLength)) {
      yield batch
      batch = { given: [], operations: [], ids: new Set() }
      length = 0
    }
    batch.given.push(given)
    batch.operations.push(operation)
    batch.ids.add(external_id)
    length += addedLength
  }
  if (batch.given.length > 0) yield batch
}

async function send<Given, Item>(
  sendAll: (operations: readonly BulkOperation[]) => Promise<BulkResponse['results']>,
  { given, operations }: Batch<Given>,
): Promise<UpsertOutcome<Given, Item>[]> {
  const results = await sendAll(operations)
  return results.map((result, index): UpsertOutcome<Given, Item> => {
    const record = given[index]!
    if ('error' in result) return { outcome: 'failed', given: record, failure: result }
    return { outcome: result.status === 201 ? 'created' : 'updated', given: record, record: result.body as Item }
  })
}

type SendOptions = { handling?: 'strict' | 'lenient'; signal: AbortSignal }

/** Sends the operations in one request, or in several if the server accepts fewer in each. */
async function sendParts(
  sendBulk: SendBulk,
  operations: readonly BulkOperation[],
  options: SendOptions,
  size: BatchSize,
): Promise<BulkResponse['results']> {
  try {
    const idempotencyKey = crypto.randomUUID()
    return (await sendBulk(operations, { mode: 'each', idempotencyKey, ...options })).results
  } catch (error) {
    const limit = limitIn(error)
    if (limit === undefined || limit >= operations.length) throw error
    size.records = Math.min(size.records, limit)
    const results: BulkResponse['results'] = []
    for (let start = 0; start < operations.length; start += limit)
      results.push(...(await sendParts(sendBulk, operations.slice(start, start + limit), options, size)))
    return results
  }
}

/** Returns the limit that the server names when it refuses a request with too many operations. Such a request changes
 *  nothing. */
function limitIn(error: unknown): number | undefined {
  if (!(error instanceof TenantdeskError) || error.code !== 'invalid_request') return undefined
  const limit = Number(/operations may have at most (\d+) entries/.exec(error.message)?.[1])
  return limit > 0 ? limit : undefined
}
