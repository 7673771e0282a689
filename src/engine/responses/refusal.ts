// A request that is rejected before its operation runs.

import { type Problem, problems } from '../../problem.ts'
import { type StoredResponse, toStoredResponse } from '../responses/stored-response.ts'

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
