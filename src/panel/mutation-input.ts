// What every change made by a form of the panel has in common.

import { hash } from 'node:crypto'
import { readUuid } from '../lib/uuid.ts'
import { type ChangeContext, newChangeSet } from '../resources/records/changes.ts'
import type { IdempotencyKeyUse } from '../storage/idempotency.ts'
import type { TenantRequest } from './request.ts'

/** A form is a change set of its own. */
export function changeContextOf({ deps, session, requestId }: TenantRequest): ChangeContext {
  const actor = { userId: session.user.id }
  const now = deps.now()
  return { now: now.toISOString(), actor, requestId, changeSet: newChangeSet(now) }
}

/** A form without a UUID is executed each time it is submitted. If a user goes back and submits the same form with
 *  other values, it is rejected: repeating the stored response would claim that the new values were saved. `scopes`:
 *  those that the API would need. */
export function idempotencyKeyOf(form: URLSearchParams, scopes: readonly string[]): IdempotencyKeyUse | null {
  const key = readUuid(form.get('once') ?? '')
  if (key === undefined) return null
  const fingerprint = hash('sha256', form.toString(), 'base64url')
  return { key, fingerprint, scopes: scopes.join(' '), reuse: 'reject' }
}
