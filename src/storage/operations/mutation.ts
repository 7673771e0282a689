// Runs a change exactly once per Idempotency-Key: one transaction writes the key, the change with its history rows, and
// the stored response.

import type { Database } from '../../database/database.ts'
import { Problem } from '../../problem.ts'
import type { ChangeContext } from '../../resources/records/changes.ts'
import { noPrecondition, type WritePrecondition, WritePreconditionUnmet } from '../../resources/records/target.ts'
import type { Resources } from '../../resources/resource.ts'
import { claimKey, type IdempotencyKeyUse, type KeyClaim, releaseKey, storeResponse } from '../responses/idempotency.ts'
import { replay, type TagOfResponse, tagOfRecordBody } from '../responses/replay.ts'
import type { StoredResponse } from '../responses/stored-response.ts'
import type { Operation, Pause } from './operation.ts'
import { isRefusal, type Refusal, refusal } from './refusal.ts'
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

/** Applies a request. May throw a Problem, or return a response with an error status, at any point. */
type Apply<Request, Change> = (database: Database, request: Request, change: Change) => Promise<StoredResponse>

type Mutation<Request> = Operation<MutationInput<Request>, StoredResponse> & { writes: true }

/** Returns an operation that applies requests of one kind exactly once per Idempotency-Key, whatever `apply` does. If
 *  the key has a stored response, `apply` does not run. If `apply` refuses the request, everything that it wrote is
 *  rolled back. */
export function mutation<Request extends object>(
  apply: Apply<Request, OngoingChange>,
  tagOfResponse: TagOfResponse = tagOfRecordBody,
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
      : await applyOrRollBack(database, () => apply(database, request, { resources, context, pause }))
    return end(database, key, context, outcome)
  }

  return { writes: true, run }
}

/** Like `mutation`, but sends the claim of the key and the first statements of `apply` together, and uses no savepoint.
 *  On PostgreSQL this saves a round trip, and the two statements of a savepoint would cost single creates a twentieth
 *  of their throughput (docs/decisions/0022). Only for changes of single records, which are that frequent: `apply` must
 *  respect the precondition, and refuse a request only before its first write. If it does not, it fails with an
 *  internal error, and everything is rolled back. */
export function pipelinedMutation<Request extends object>(apply: Apply<Request, PipelinedChange>): Mutation<Request> {
  async function run(
    plainDatabase: Database,
    resources: Resources,
    { idempotency, context, request }: MutationInput<Request>,
    pause: Pause,
  ): Promise<StoredResponse> {
    const claim = idempotency && claimKey(plainDatabase, idempotency, context.now)
    const change = { resources, context, pause, precondition: claim?.precondition ?? noPrecondition }
    const { database, hasWritten } = trackWrites(plainDatabase)
    const outcome = isRefusal(request)
      ? request
      : await attempt(() => apply(database, request, change)).catch(ignoreUnmetPrecondition)
    const key = (await claim?.result) ?? null
    const isReplay = key !== null && 'stored' in key
    if (hasWritten() && (isReplay || !outcome || isFailure(outcome)))
      throw new Error('a pipelined operation wrote before it was refused, or although its key has a stored response')
    if (isReplay) return replay(key.stored, idempotency!.reuse, tagOfRecordBody)
    return end(plainDatabase, key, context, outcome!)
  }

  return { writes: true, run }
}

type Outcome = Pick<Refusal, 'response' | 'isStored'>

/** The caller's transaction may contain other operations, which are kept. */
async function applyOrRollBack(database: Database, apply: () => Promise<StoredResponse>): Promise<Outcome> {
  database.runDeferred('savepoint mutation')
  const outcome = await attempt(apply)
  if (isFailure(outcome)) await database.run('rollback to savepoint mutation')
  database.runDeferred('release savepoint mutation')
  return outcome
}

async function attempt(apply: () => Promise<StoredResponse>): Promise<Outcome> {
  try {
    return { response: await apply(), isStored: true }
  } catch (error) {
    if (error instanceof Problem) return refusal(error)
    throw error
  }
}

function isFailure({ response }: Outcome): boolean {
  return response.status >= 400
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
    if (isStored) await storeResponse(database, key.seq, now, response)
    else await releaseKey(database, key.seq)
  }
  return response
}
