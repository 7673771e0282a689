// Runs a request that changes data: Idempotency-Key, body, input, operation, response.

import { hash } from 'node:crypto'
import type { ApiCall } from '../http/api-handler.ts'
import type { BodyReader } from '../http/body-reader.ts'
import { hideKeys } from '../lib/hide-keys.ts'
import { Problem } from '../problem.ts'
import { newChangeSet } from '../resources/records/changes.ts'
import { type Refusal, refusal } from '../storage/operations/mutation.ts'
import type { Input, MutationName } from '../storage/operations.ts'
import type { StoredResponse } from '../storage/stored-response.ts'
import { type Answer, type ApiRequest, type Changing, type Endpoint, scopesNeeded } from './endpoint.ts'
import { parseBody, readIdempotencyKey } from './parse-request.ts'
import { requireReplayScopes } from './required-scopes.ts'

export type MutationDependencies = { bodies: BodyReader; reuse: 'replay' | 'reject' }

export async function runMutation(
  endpoint: Endpoint & Changing,
  request: ApiRequest,
  { bodies, reuse }: MutationDependencies,
): Promise<Answer> {
  const { call, caller, tenant, services } = request
  const key = readIdempotencyKey(call.headers)
  const body = endpoint.hasBody ? await bodies.read(call.body, tenant.id) : Buffer.alloc(0)
  const scopes = scopesNeeded(endpoint, request.query)
    .map(({ resource, action }) => `${resource}:${action}`)
    .join(' ')
  const input = {
    context: {
      now: services.now().toISOString(),
      actor: { apiKeyId: caller.id },
      requestId: hideKeys(call.id),
      changeSet: newChangeSet(),
    },
    idempotency: key === null ? null : { key, fingerprint: fingerprint(call, body), scopes, reuse },
    request: readOrRefuse(endpoint, request, body),
  }
  // The types cannot express that `read` returns the input of the endpoint's own operation.
  const response = await services.storage.run(tenant, endpoint.operation, input as Input<MutationName>)
  if (response.replay) requireReplayScopes(caller, response.replay)
  return toAnswer(response)
}

/** Returns invalid input as a refusal instead of throwing: a used Idempotency-Key gets its stored response whatever the
 *  query and body contain. */
function readOrRefuse(endpoint: Changing, request: ApiRequest, body: Buffer | null): object | Refusal {
  try {
    return endpoint.read(request, () => parseBody(request.call.headers, body))
  } catch (error) {
    if (error instanceof Problem) return refusal(error)
    throw error
  }
}

/** Two requests with the same Idempotency-Key are the same request if their fingerprints are equal. */
function fingerprint(call: ApiCall, body: Buffer | null): string {
  const head = Buffer.from(`${call.method} ${call.path}?${call.search}\n`)
  return hash('sha256', Buffer.concat([head, body ?? Buffer.alloc(0)]), 'base64url')
}

function toAnswer({ status, body, location, changeSet, etag, replay }: StoredResponse): Answer {
  const headers = {
    ...(changeSet !== null && { 'change-set': changeSet }),
    ...(location !== null && { location }),
    ...(etag !== undefined && { etag }),
    ...(replay && { 'idempotent-replayed': 'true' }),
  }
  return { status, body, headers }
}
