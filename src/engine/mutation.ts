// Runs a change exactly once per Idempotency-Key: one transaction writes the key, the change with its history rows, and
// the stored response.

import type { Resources } from '../domain/declarations/resource.ts'
import type { ChangeContext } from '../domain/records/changes.ts'
import { noPrecondition, type WritePrecondition, WritePreconditionUnmet } from '../domain/records/target.ts'
import { applyOrFail, applyOrRollBack, type Outcome } from './attempt.ts'
import type { Database } from './database/database.ts'
import type { Operation, Pause } from './operation.ts'
import { claimKey, type IdempotencyKeyUse, type KeyClaim, releaseKey, storeResponse } from './responses/idempotency.ts'
import { isRefusal, type Refusal } from './responses/refusal.ts'
import { replay, type TagOfResponse, tagOfRecordBody } from './responses/replay.ts'
import type { StoredResponse } from './responses/stored-response.ts'
import { trackWrites } from './track-writes.ts'

/** The input of an operation that changes data. */
export type MutationInput<Request> = {
  context: ChangeContext
  idempotency: IdempotencyKeyUse | null
  request: Request | Refusal
}

/** The change that an operation is making, apart from its request. */
export type OngoingChange = { resources: Resources; context: ChangeContext; pause: Pause }

/** Every statement that writes must depend on the precondition, or come after `precondition.require()`. */
export type PipelinedChange = OngoingChange & { precondition: WritePrecondition }

/** Applies a request. To refuse it, throws a Problem or returns a response with an error status. */
type Apply<Request, Change> = (database: Database, request: Request, change: Change) => Promise<StoredResponse>

type Mutation<Request> = Operation<MutationInput<Request>, StoredResponse> & { writes: true }

/** Returns an operation that applies requests of one kind exactly once per Idempotency-Key, whatever `apply` does. If
 *  the key has a stored response, `apply` does not run. If `apply` refuses the request, everything that it wrote is
 *  rolled back. */
export function mutation<Request extends object>(
  apply: Apply<Request, OngoingChange>,
  tagOfResponse: TagOfResponse = tagOfRecordBody,
): Mutation<Request> {
  return claimingMutation(apply, applyOrRollBack, tagOfResponse)
}

/** Like `mutation`, but for changes of any number of records, and without a savepoint: SQLite would keep the previous
 *  content of every changed page in memory, 350 MB when 100,000 records are undone. `apply` must refuse a request only
 *  before its first write. If it does not, it fails with an internal error, and everything is rolled back. */
export function unboundedMutation<Request extends object>(apply: Apply<Request, OngoingChange>): Mutation<Request> {
  return claimingMutation(apply, (database, work) => applyOrFail(trackWrites(database), work), tagOfRecordBody)
}

function claimingMutation<Request extends object>(
  apply: Apply<Request, OngoingChange>,
  attempt: typeof applyOrRollBack,
  tagOfResponse: TagOfResponse,
): Mutation<Request> {
  async function run(
    database: Database,
    resources: Resources,
    { idempotency, context, request }: MutationInput<Request>,
    pause: Pause,
  ): Promise<StoredResponse> {
    const key = idempotency && (await claimKey(database, idempotency, context.now).result)
    if (key && 'stored' in key) return replay(key.stored, idempotency!.reuse, tagOfResponse)
    const outcome = isRefusal(request)
      ? request
      : await attempt(database, (each) => apply(each, request, { resources, context, pause }))
    return end(database, key, context, outcome)
  }

  return { writes: true, run }
}

/** Like `mutation`, but uses no savepoint, and on PostgreSQL sends the claim of the key and the first statements of
 *  `apply` together, which saves a round trip. The two statements of a savepoint would cost single creates a twentieth
 *  of their throughput (docs/decisions/0022). Only for changes of single records, which are that frequent: `apply` must
 *  respect the precondition, and refuse a request only before its first write. If it does not, it fails with an
 *  internal error, and everything is rolled back. */
export function pipelinedMutation<Request extends object>(apply: Apply<Request, PipelinedChange>): Mutation<Request> {
  const claiming = unboundedMutation<Request>((database, request, change) =>
    apply(database, request, { ...change, precondition: noPrecondition }),
  )

  async function run(
    database: Database,
    resources: Resources,
    { idempotency, context, request }: MutationInput<Request>,
    pause: Pause,
  ): Promise<StoredResponse> {
    if (database.engine === 'sqlite') return claiming.run(database, resources, { idempotency, context, request }, pause)
    const claim = idempotency && claimKey(database, idempotency, context.now)
    const change = { resources, context, pause, precondition: claim?.precondition ?? noPrecondition }
    const tracked = trackWrites(database)
    const outcome = isRefusal(request)
      ? request
      : await applyOrFail(tracked, (each) => apply(each, request, change)).catch(ignoreUnmetPrecondition)
    const key = (await claim?.result) ?? null
    if (key && 'stored' in key) {
      if (tracked.hasWritten()) throw new Error('an operation wrote although its Idempotency-Key was already used')
      return replay(key.stored, idempotency!.reuse, tagOfRecordBody)
    }
    return end(database, key, context, outcome!)
  }

  return { writes: true, run }
}

function ignoreUnmetPrecondition(error: unknown): undefined {
  if (!(error instanceof WritePreconditionUnmet)) throw error
}

/** Stores the response for the claimed key. Releases the key if a retry is to run the request again. */
async function end(
  database: Database,
  key: KeyClaim | null,
  { now }: ChangeContext,
  { response, isStored }: Outcome,
): Promise<StoredResponse> {
  if (key && 'seq' in key) {
    if (isStored) await storeResponse(database, key, now, response)
    else await releaseKey(database, key.seq)
  }
  return response
}
