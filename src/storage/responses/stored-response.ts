// The response to a change, as stored under the request's Idempotency-Key.

import { envelope, type Problem } from '../../problem.ts'

/** Status, JSON body, URL of a new record, the change set (null if nothing changed), and the record's entity tag. */
export type StoredResponse = {
  status: number
  body: string
  location: string | null
  changeSet: string | null
  etag?: string
  /** The scopes that the request requires, if they depend on the tenant's data. */
  scopes?: string
  replay?: StoredRequest
}

/** The request whose stored response is replayed. `scopes`: the scopes that the request required; null for responses
 *  stored before scopes were recorded. `isSameRequest`: whether the new request is identical to the original one. */
export type StoredRequest = { scopes: string | null; isSameRequest: boolean }

export function toStoredResponse(problem: Problem): StoredResponse {
  return { status: problem.status, body: envelope(problem), location: null, changeSet: null }
}
