// The named operations that run next to the data. Each takes and returns plain data and runs in one transaction of
// the one database it is given. It knows no tenant, so it cannot reach another tenant's data.

import type { Database } from '../database/database.ts'
import { Problem, problems } from '../problem.ts'
import { findAsOf, listAsOf } from '../resources/history/as-of-lists.ts'
import { type ChangesQuery, listAssignments, listChanges } from '../resources/history/history.ts'
import { listRecords } from '../resources/lists/page.ts'
import type { ListQuery, Page, Position } from '../resources/lists/query.ts'
import type { ChangeContext } from '../resources/records/changes.ts'
import { findJson, type Includes } from '../resources/records/json.ts'
import {
  createRecord,
  deleteRecord,
  type StoredRecord,
  updateRecord,
  type WritePrecondition,
} from '../resources/records/records.ts'
import { type Resource, type Resources, resourceNamed } from '../resources/resource.ts'
import type { Values } from '../resources/validate.ts'
import {
  requireMatch,
  type TaggedRecord,
  tagOf,
  tagOfList,
  tagOfRecord,
  tagRecord,
  tagWithIncludes,
} from './entity-tags.ts'
import {
  claimKey,
  type IdempotencyKeyUse,
  noPrecondition,
  ReplayedResponse,
  releaseKey,
  storeResponse,
} from './idempotency.ts'
import { type StoredResponse, toStoredResponse } from './stored-response.ts'

/** A requested change. `refuse` carries a request that was rejected before reaching the data; it still respects a key
 *  that has been used. */
export type Request =
  | { action: 'create'; resource: string; values: Values; location: string }
  | { action: 'update'; resource: string; id: number; values: Values; ifMatch: string | null }
  | { action: 'delete'; resource: string; id: number; ifMatch: string | null }
  | { action: 'refuse'; response: StoredResponse; isStored: boolean }

export type Mutation = { context: ChangeContext; idempotency: IdempotencyKeyUse | null; request: Request }

/** Records as JSON text, with the position of the next page and the entity tag of the list. */
export type Listed = { data: string; next: Position | null; total: number | null; etag: string }

/** Changes as JSON text, with the number of the last one and the entity tag of the list. */
export type History = { data: string; hasMore: boolean; since: number; etag: string }

type Operation<Input, Output> = {
  writes: boolean
  /** All statements must see the same snapshot, without later commits. */
  needsSnapshot?: true
  /** It may use its whole time limit; the other operations look at one record. */
  isLong?: true
  run: (database: Database, resources: Resources, input: Input) => Promise<Output>
}

/** One line per operation; storage.run takes its name. Operations with `writes: false` never wait for a commit. */
export const operations = {
  ping: { writes: false, run: ping },
  find: { writes: false, run: find },
  list: { writes: false, isLong: true, run: list },
  findAsOf: { writes: false, isLong: true, needsSnapshot: true, run: findRecordAsOf },
  listAsOf: { writes: false, isLong: true, needsSnapshot: true, run: listRecordsAsOf },
  changes: { writes: false, isLong: true, run: changes },
  assignments: { writes: false, isLong: true, run: assignments },
  mutate: { writes: true, run: mutate },
} as const satisfies Record<string, Operation<never, unknown>>

export type OperationName = keyof typeof operations
export type Input<Name extends OperationName> = Parameters<(typeof operations)[Name]['run']>[2]
export type Output<Name extends OperationName> = Awaited<ReturnType<(typeof operations)[Name]['run']>>

/** Proves that the database can be reached. */
async function ping(database: Database, _resources: Resources, _input: null): Promise<null> {
  await database.get('select id from tenant')
  return null
}

async function find(
  database: Database,
  resources: Resources,
  input: { resource: string; id: number; includes?: Includes },
): Promise<TaggedRecord | null> {
  const { id, includes } = input
  const body = await findJson(database, resourceNamed(resources, input.resource), resources, id, includes)
  if (body === undefined) return null
  return { body, etag: includes ? tagWithIncludes(body, includes) : tagOfRecord(body) }
}

async function list(
  database: Database,
  resources: Resources,
  input: { resource: string; query: ListQuery },
): Promise<Listed> {
  return toListed(await listRecords(database, resourceNamed(resources, input.resource), resources, input.query))
}

/** A record as of a moment in the past. */
async function findRecordAsOf(
  database: Database,
  resources: Resources,
  input: { resource: string; id: number; moment: string; includes: Includes; timeoutMs: number },
): Promise<TaggedRecord | null> {
  database.setBudget(input.timeoutMs)
  const body = await findAsOf(database, resourceNamed(resources, input.resource), resources, input)
  return body === undefined ? null : { body, etag: tagOf(body) }
}

/** A page of records as of a moment in the past. */
async function listRecordsAsOf(
  database: Database,
  resources: Resources,
  input: { resource: string; query: ListQuery },
): Promise<Listed> {
  return toListed(await listAsOf(database, resourceNamed(resources, input.resource), resources, input.query))
}

function toListed({ records, next, total }: Page): Listed {
  const data = records.join(',')
  return { data, next, total, etag: tagOfList(data, [next, total]) }
}

async function changes(database: Database, resources: Resources, query: ChangesQuery): Promise<History> {
  const { entries, hasMore, since } = await listChanges(database, resources, query)
  const data = entries.join(',')
  return { data, hasMore, since, etag: tagOfList(data, [hasMore, since]) }
}

/** The past and present assignments of a record, as JSON text. */
async function assignments(
  database: Database,
  resources: Resources,
  input: { resource: string; id: number; timeoutMs: number },
): Promise<TaggedRecord | null> {
  const assignments = await listAssignments(database, resources, input)
  if (!assignments) return null
  const body = JSON.stringify({ id: input.id, assignments })
  return { body, etag: tagOf(body) }
}

/** One change with everything that belongs to its transaction: the idempotency key, the record, the history row, the
 *  stored response. */
async function mutate(database: Database, resources: Resources, input: Mutation): Promise<StoredResponse> {
  const { idempotency, context, request } = input
  try {
    const claim = idempotency && claimKey(database, idempotency, context.now)
    const precondition = claim?.precondition ?? noPrecondition
    const { response, isStored } = await decide(database, resources, request, context, precondition)
    if (claim && isStored) storeResponse(database, await claim.seq(), context.now, response)
    if (claim && !isStored) await releaseKey(database, await claim.seq())
    return response
  } catch (error) {
    if (error instanceof ReplayedResponse) return repeat(error, idempotency!.reuse)
    throw error
  }
}

/** The result for a used key: its first response, or an error if the request differs and `reuse` rejects that. */
function repeat({ response }: ReplayedResponse, reuse: IdempotencyKeyUse['reuse']): StoredResponse {
  if (!response.replay.isSameRequest && reuse === 'reject')
    return toStoredResponse(new Problem('idempotency_key_reused'))
  const record: StoredRecord = JSON.parse(response.body)
  return 'updated_at' in record ? { ...response, etag: tagRecord(record).etag } : response // the tag is not stored
}

async function decide(
  database: Database,
  resources: Resources,
  request: Request,
  context: ChangeContext,
  precondition: WritePrecondition,
): Promise<{ response: StoredResponse; isStored: boolean }> {
  if (request.action === 'refuse') {
    await precondition.settle()
    return request
  }
  try {
    const response = await change(database, resourceNamed(resources, request.resource), request, context, precondition)
    return { response, isStored: true }
  } catch (error) {
    // A Problem comes before the first write or instead of it, so there is nothing to undo.
    if (error instanceof Problem) return { response: toStoredResponse(error), isStored: problems[error.code].kept }
    throw error
  }
}

async function change(
  database: Database,
  resource: Resource,
  request: Exclude<Request, { action: 'refuse' }>,
  context: ChangeContext,
  precondition: WritePrecondition,
): Promise<StoredResponse> {
  switch (request.action) {
    case 'create': {
      const record = await createRecord(database, resource, request.values, context, precondition)
      return { status: 201, ...tagRecord(record), location: request.location + record.id }
    }
    case 'update': {
      const check = (record: StoredRecord) => requireMatch(request.ifMatch, record)
      const record = await updateRecord(database, resource, request.id, request.values, context, precondition, check)
      return { status: 200, ...tagRecord(record), location: null }
    }
    case 'delete': {
      const check = (record: StoredRecord) => requireMatch(request.ifMatch, record)
      await deleteRecord(database, resource, request.id, context, precondition, check)
      return { status: 200, body: JSON.stringify({ id: request.id, deleted: true }), location: null }
    }
  }
}
