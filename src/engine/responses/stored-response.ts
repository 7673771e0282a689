// The response to a change, as stored under the request's Idempotency-Key, and requests that are refused before their
// operation runs.

import { envelope, type Problem, problems } from '../../problem.ts'

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
  /** The scopes that the API key lacks, if the operation refused the request for this reason. */
  missingScopes?: readonly string[]
}

/** The request whose stored response is replayed. `scopes`: the scopes that the request required; null for responses
 *  stored before scopes were recorded. `isSameRequest`: whether the new request is identical to the original one. */
export type StoredRequest = { scopes: string | null; isSameRequest: boolean }

export function toStoredResponse(problem: Problem): StoredResponse {
  const { status, missingScopes } = problem
  const response = { status, body: envelope(problem), location: null, changeSet: null }
  return missingScopes.length > 0 ? { ...response, missingScopes } : response
}

/** Takes the place of the rejected request. If the request's Idempotency-Key was already used, the stored response is
 *  returned instead. `isStored`: whether `response` is stored for a new key. */
export type Refusal = { action: 'refuse'; response: StoredResponse; isStored: boolean }

/** Returns a refusal that rejects a request with this problem. */
export function refusal(problem: Problem): Refusal {
  return { action: 'refuse', response: toStoredResponse(problem), isStored: problems[problem.code].kept }
}

export function isRefusal(request: object): request is Refusal {
  return 'action' in request && request.action === 'refuse'
}
