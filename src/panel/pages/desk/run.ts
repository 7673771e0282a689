// Runs the steps of a desk form: a form with which the user adds people, or hands out, moves or takes back equipment.
// If a form is submitted twice, its steps run only once.

import { allChangeScopes } from '../../../access/scopes.ts'
import type { DeskStep, FailedStep } from '../../../domain/equipment/operations.ts'
import { changeContextOf, idempotencyKeyOf } from '../../requests/mutation-input.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'

/** `records`: the records created and changed, in step order. `sentBefore`: the same form has already been submitted
 *  with different values. */
export type DeskOutcome =
  | { records: { resource: string; id: number }[]; changeSet: string | null }
  | { failures: FailedStep[] }
  | { sentBefore: true }

/** Runs all steps or none. Throws Unavailable. */
export async function runDeskSteps(request: TenantRequest, steps: DeskStep[]): Promise<DeskOutcome> {
  const { deps, tenant, form } = request
  const { status, body, changeSet } = await deps.storage.run(tenant, 'desk', {
    context: changeContextOf(request),
    idempotency: idempotencyKeyOf(form, allChangeScopes),
    request: { steps },
  })
  const { records, failures } = JSON.parse(body)
  if (status === 200) return { records, changeSet }
  return failures === undefined ? { sentBefore: true } : { failures }
}

/** Returns the tags that forms suggest for new assets. Returns an empty list if the tenant has not set a tag format. */
export function suggestTags({ deps, tenant }: TenantRequest, count: number): Promise<string[]> {
  return deps.storage.run(tenant, 'nextTags', { count })
}

/** Redirects to a page that shows a toast. The toast has a button that undoes the change set. */
export function redirectWithToast(toast: {
  to: string
  text: string
  changeSet: string | null
  link?: { to: string; label: string }
}): PageResponse {
  const { to, ...shown } = toast
  return { kind: 'redirect', to, toast: shown }
}
