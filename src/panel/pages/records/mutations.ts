// Runs the API's mutations for panel forms, exactly once per form.

import { hash } from 'node:crypto'
import { everyChange } from '../../../access/scopes.ts'
import { Problem, type ProblemCode } from '../../../problem.ts'
import type { FieldError } from '../../../resources/field-values.ts'
import { newChangeSet } from '../../../resources/records/changes.ts'
import type { Refusal } from '../../../storage/operations/mutation.ts'
import type { RecordMutation } from '../../../storage/operations/records.ts'
import type { PanelRecord } from '../../components/record-fields.ts'
import type { RecordRequest } from './request.ts'

/** The changed record, or the problem code with an error per field. */
export type Outcome = { record: PanelRecord } | { code: ProblemCode; errors: Record<string, FieldError> }

/** Runs a mutation. Throws Unavailable. */
export async function runMutation(request: RecordRequest, mutation: RecordMutation | Refusal): Promise<Outcome> {
  const { deps, session, form, tenant, requestId } = request
  const actor = { userId: session.user.id }
  const context = { now: deps.now().toISOString(), actor, requestId, changeSet: newChangeSet() }
  const answer = await deps.storage.run(tenant, 'mutate', {
    context,
    idempotency: idempotencyKeyOf(form, mutation),
    request: mutation,
  })
  const body = JSON.parse(answer.body)
  if (answer.status < 400) return { record: body }
  return { code: body.error.code, errors: body.errors ?? {} }
}

/** A form without a UUID is executed each time it is submitted. If a user goes back and submits the same form with
 *  other values, it is rejected: repeating the stored response would claim that the new values were saved. */
function idempotencyKeyOf(form: URLSearchParams, mutation: RecordMutation | Refusal) {
  const key = form.get('once') ?? ''
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)) return null
  const fingerprint = hash('sha256', form.toString(), 'base64url')
  const scopes = mutation.action === 'refuse' ? everyChange.join(' ') : `${mutation.resource}:${mutation.action}`
  return { key, fingerprint, scopes, reuse: 'reject' } as const
}

/** Turns a validation problem into an outcome. Rethrows everything else. */
export function toInvalidOutcome(error: unknown): Outcome {
  if (!(error instanceof Problem)) throw error
  return { code: error.code, errors: (error.members.errors ?? {}) as Record<string, FieldError> }
}
