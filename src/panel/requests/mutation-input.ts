// Derives the input of an operation that changes data from a submitted form.

import { hash } from 'node:crypto'
import { allChangeScopes } from '../../access/api-key.ts'
import { type ChangeContext, newChangeSet } from '../../domain/records/changes.ts'
import type { IdempotencyKeyUse } from '../../engine/responses/idempotency.ts'
import { readUuid } from '../../lib/text.ts'
import type { SignedInRequest } from './request.ts'

/** Returns the input for the change that a form asks for: who makes it, when and in which change set, and the key under
 *  which it runs only once. `scopes`: the scopes that the API requires for the change. */
export function changeInput<Change>(request: SignedInRequest, change: Change, scopes = allChangeScopes) {
  return { context: changeContextOf(request), idempotency: idempotencyKeyOf(request.form, scopes), request: change }
}

/** Each submitted form is a new change set. */
function changeContextOf({ deps, session, requestId }: SignedInRequest): ChangeContext {
  const actor = { userId: session.user.id }
  const now = deps.now()
  return { now: now.toISOString(), actor, requestId, changeSet: newChangeSet(now) }
}

/** Returns null if the form has no UUID. Submitting the same form again with different values is an error, because
 *  repeating the stored response would claim that the new values were saved. */
function idempotencyKeyOf(form: URLSearchParams, scopes: readonly string[]): IdempotencyKeyUse | null {
  const key = readUuid(form.get('once') ?? '')
  if (key === undefined) return null
  const fingerprint = hash('sha256', form.toString(), 'base64url')
  return { key, fingerprint, scopes: scopes.join(' '), reuse: 'reject' }
}
