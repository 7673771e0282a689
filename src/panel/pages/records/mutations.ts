// A change made by a person: the same operation as the API's, once however often its form is sent.

import { hash } from 'node:crypto'
import { everyChange } from '../../../access/scopes.ts'
import { Problem, type ProblemCode } from '../../../problem.ts'
import type { FieldError } from '../../../resources/validate.ts'
import type { Request as Mutation } from '../../../storage/operations.ts'
import type { PanelRecord } from '../../components/record-fields.ts'
import type { RecordRequest } from './request.ts'

/** What became of a change: the record, or the code of the refusal with what is wrong in which field. */
export type Outcome = { record: PanelRecord } | { code: ProblemCode; errors: Record<string, FieldError> }

/** Carries a change out. `once`: the UUID that its form was given. Throws Unavailable. */
export async function runMutation(request: RecordRequest, mutation: Mutation): Promise<Outcome> {
  const { deps, session, form, tenant, requestId } = request
  const context = { now: deps.now().toISOString(), actor: { userId: session.user.id }, requestId }
  const answer = await deps.storage.run(tenant, 'mutate', {
    context,
    idempotency: idempotencyKeyOf(form, mutation),
    request: mutation,
  })
  const body = JSON.parse(answer.body)
  if (answer.status < 400) return { record: body }
  return { code: body.error.code, errors: body.errors ?? {} }
}

/** A form without its UUID is carried out as often as it is sent. One that comes back with other contents, by way of the
 *  browser's history, is refused: its first answer would say of a change that it was made. */
function idempotencyKeyOf(form: URLSearchParams, mutation: Mutation) {
  const key = form.get('once') ?? ''
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)) return null
  const fingerprint = hash('sha256', form.toString(), 'base64url')
  const scopes = mutation.action === 'refuse' ? everyChange.join(' ') : `${mutation.resource}:${mutation.action}`
  return { key, fingerprint, scopes, reuse: 'reject' } as const
}

/** What validation says of the values of a form, as an outcome. */
export function toInvalidOutcome(error: unknown): Outcome {
  if (!(error instanceof Problem)) throw error
  return { code: error.code, errors: (error.members.errors ?? {}) as Record<string, FieldError> }
}
