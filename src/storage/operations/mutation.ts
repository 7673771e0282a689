// Runs a change exactly once per Idempotency-Key: one transaction writes the key, the change with its history rows, and
// the stored response.

import type { Database } from '../../database/database.ts'
import { Problem, problems } from '../../problem.ts'
import type { ChangeContext } from '../../resources/records/changes.ts'
import { noPrecondition, type WritePrecondition, WritePreconditionUnmet } from '../../resources/records/target.ts'
import type { Resources } from '../../resources/resource.ts'
import { tagOfRecord } from '../responses/entity-tags.ts'
import {
  claimKey,
  type IdempotencyKeyUse,
  type ReplayedResponse,
  releaseKey,
  storeResponse,
} from '../responses/idempotency.ts'
import { type StoredResponse, toStoredResponse } from '../responses/stored-response.ts'
import type { Operation, Pause } from './operation.ts'

/** A request that was rejected before its operation ran. If its Idempotency-Key was already used, the stored response
 *  is returned instead. `isStored`: whether `response` is stored for a new key. */
export type Refusal = { action: 'refuse'; response: StoredResponse; isStored: boolean }

/** The input of an operation that changes data. */
export type MutationInput<Request> = {
  context: ChangeContext
  idempotency: IdempotencyKeyUse | null
  request: Request | Refusal
}

/** Applies a request. Throws a Problem only before its first write, so nothing needs to be undone. */
type Apply<Request> = (
  database: Database,
  resources: Resources,
  request: Request,
  context: ChangeContext,
  precondition: WritePrecondition,
  pause: Pause,
) => Promise<StoredResponse>

/** Computes a replayed response's entity tag, since tags are not stored. */
type TagOfResponse = (body: string, changeSet: string | null) => string | undefined

/** Returns an operation that applies requests of one kind exactly once per Idempotency-Key. */
export function mutation<Request extends object>(
  apply: Apply<Request>,
  tagOfResponse: TagOfResponse = tagOfRecordBody,
): Operation<MutationInput<Request>, StoredResponse> & { writes: true } {
  async function run(
    database: Database,
    resources: Resources,
    input: MutationInput<Request>,
    pause: Pause,
  ): Promise<StoredResponse> {
    const { idempotency, context, request } = input
    const claim = idempotency && claimKey(database, idempotency, context.now)
    const precondition = claim?.precondition ?? noPrecondition
    try {
      const { response, isStored } = isRefusal(request)
        ? await refuse(request, precondition)
        : await attempt(() => apply(database, resources, request, context, precondition, pause))
      const key = await claim?.result
      if (key && 'stored' in key) throw new WritePreconditionUnmet('the Idempotency-Key has a stored response')
      if (key && isStored) await storeResponse(database, key.seq, context.now, response)
      if (key && !isStored) await releaseKey(database, key.seq)
      return response
    } catch (error) {
      const key = error instanceof WritePreconditionUnmet ? await claim?.result : undefined
      if (key && 'stored' in key) return replay(key.stored, idempotency!.reuse, tagOfResponse)
      throw error
    }
  }

  return { writes: true, run }
}

/** Returns a refusal that rejects a request with this problem. */
export function refusal(problem: Problem): Refusal {
  return { action: 'refuse', response: toStoredResponse(problem), isStored: problems[problem.code].kept }
}

export function isRefusal(request: object): request is Refusal {
  return 'action' in request && request.action === 'refuse'
}

type Outcome = { response: StoredResponse; isStored: boolean }

async function refuse(request: Refusal, precondition: WritePrecondition): Promise<Outcome> {
  await precondition.require()
  return request
}

async function attempt(apply: () => Promise<StoredResponse>): Promise<Outcome> {
  try {
    return { response: await apply(), isStored: true }
  } catch (error) {
    if (error instanceof Problem) return refusal(error)
    throw error
  }
}

/** Returns the response to a request whose key has been used before: the stored response, or an error if the request
 *  differs and `reuse` is `reject`. */
function replay(
  stored: ReplayedResponse,
  reuse: IdempotencyKeyUse['reuse'],
  tagOfResponse: TagOfResponse,
): StoredResponse {
  if (!stored.replay.isSameRequest && reuse === 'reject') return toStoredResponse(new Problem('idempotency_key_reused'))
  const etag = tagOfResponse(stored.body, stored.changeSet)
  return etag === undefined ? stored : { ...stored, etag }
}

function tagOfRecordBody(body: string): string | undefined {
  if (!body.startsWith('{"id":')) return undefined // the results of a bulk request, for example
  const { updated_at: updatedAt } = JSON.parse(body)
  return updatedAt === undefined ? undefined : tagOfRecord({ json: body, updatedAt })
}
