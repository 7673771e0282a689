// Parses the query and body of a POST, PUT or DELETE into a change, or into the error response if they are invalid.

import { hash } from 'node:crypto'
import type { Action } from '../access/scopes.ts'
import type { ApiCall } from '../http/api-handler.ts'
import { Problem } from '../problem.ts'
import { validateChanges, validateNew } from '../resources/validate.ts'
import { type Refusal, refusal } from '../storage/operations/mutation.ts'
import type { RecordMutation } from '../storage/operations/records.ts'
import type { ResourceEndpoint } from './endpoints.ts'
import { parseBody, readQuery, requireId } from './parse-request.ts'

export type ChangingAction = Exclude<Action, 'read'>

/** Returns invalid input as a `refuse` request instead of throwing: a used Idempotency-Key gets its stored response
 *  whatever the query and body contain. */
export function parseMutation(
  call: ApiCall,
  endpoint: ResourceEndpoint,
  action: ChangingAction,
  body: Buffer | null,
  location: string,
): RecordMutation | Refusal {
  try {
    return readChange(call, endpoint, action, body, location)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return refusal(error)
  }
}

function readChange(
  call: ApiCall,
  endpoint: ResourceEndpoint,
  action: ChangingAction,
  body: Buffer | null,
  location: string,
): RecordMutation {
  const { resource, path } = endpoint
  const query = readQuery(call.search)
  const ifMatch = call.headers['if-match'] ?? null
  switch (action) {
    case 'create': {
      const values = validateNew(resource, parseBody(call.headers, body))
      return { action, resource: resource.name, values, location: `${location}${path}?id=` }
    }
    case 'update': {
      const id = requireId(query)
      const values = validateChanges(resource, parseBody(call.headers, body))
      return { action, resource: resource.name, id, values, ifMatch }
    }
    case 'delete':
      return { action, resource: resource.name, id: requireId(query), ifMatch }
  }
}

/** Two requests with the same Idempotency-Key are the same request if their fingerprints are equal. */
export function fingerprint(call: ApiCall, body: Buffer | null): string {
  const head = Buffer.from(`${call.method} ${call.path}?${call.search}\n`)
  return hash('sha256', Buffer.concat([head, body ?? Buffer.alloc(0)]), 'base64url')
}
