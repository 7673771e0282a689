// Derives the change context and the idempotency key from a submitted form.

import { hash } from 'node:crypto'
import { type ChangeContext, newChangeSet } from '../../domain/records/changes.ts'
import type { IdempotencyKeyUse } from '../../engine/responses/idempotency.ts'
import { readUuid } from '../../lib/text.ts'
import type { SignedInRequest } from './request.ts'

/** Each submitted form is a new change set. */
export function changeContextOf({ deps, session, requestId }: SignedInRequest): ChangeContext {
  const actor = { userId: session.user.id }
  const now = deps.now()
  return { now: now.toISOString(), actor, requestId, changeSet: newChangeSet(now) }
}

/** Returns null if the form has no UUID. Submitting the same form again with different values is an error, because
 *  repeating the stored response would claim that the new values were saved. `scopes`: the scopes that the API requires
 *  for the change. */
export function idempotencyKeyOf(form: URLSearchParams, scopes: readonly string[]): IdempotencyKeyUse | null {
  const key = readUuid(form.get('once') ?? '')
  if (key === undefined) return null
  const fingerprint = hash('sha256', form.toString(), 'base64url')
  return { key, fingerprint, scopes: scopes.join(' '), reuse: 'reject' }
}
