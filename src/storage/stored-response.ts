// The response of a change, as it is stored for its Idempotency-Key.

import { envelope, type Problem } from '../problem.ts'

/** What a caller of a change gets: a status, a body of JSON text, where a new record is, the entity tag of a record. */
export type StoredResponse = {
  status: number
  body: string
  location: string | null
  etag?: string
  replay?: StoredRequest
}

/** How a stored response came to be replayed. `scopes`: those of the request that it answered; null where it was stored before
 *  they were kept. */
export type StoredRequest = { scopes: string | null; isSameRequest: boolean }

/** A problem as the answer that a mutation carries. */
export function toStoredResponse(problem: Problem): StoredResponse {
  return { status: problem.status, body: envelope(problem), location: null }
}
