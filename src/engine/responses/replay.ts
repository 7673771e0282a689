// Answers a request whose Idempotency-Key has been used before.

import { Problem } from '../../problem.ts'
import { tagOfRecord } from './entity-tags.ts'
import type { IdempotencyKeyUse, ReplayedResponse } from './idempotency.ts'
import { type StoredResponse, toStoredResponse } from './stored-response.ts'

/** Computes a replayed response's entity tag, since tags are not stored. */
export type TagOfResponse = (body: string, changeSet: string | null) => string | undefined

/** Returns the stored response, or an error if the request differs from the stored one and `reuse` is `reject`. */
export function replay(
  stored: ReplayedResponse,
  reuse: IdempotencyKeyUse['reuse'],
  tagOfResponse: TagOfResponse,
): StoredResponse {
  if (!stored.replay.isSameRequest && reuse === 'reject') return toStoredResponse(new Problem('idempotency_key_reused'))
  const etag = tagOfResponse(stored.body, stored.changeSet)
  return etag === undefined ? stored : { ...stored, etag }
}

export function tagOfRecordBody(body: string): string | undefined {
  if (!body.startsWith('{"id":')) return undefined // the results of a bulk request, for example
  const { updated_at: updatedAt } = JSON.parse(body)
  return updatedAt === undefined ? undefined : tagOfRecord({ json: body, updatedAt })
}
