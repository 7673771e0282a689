// Links to the forms about an asset, about what a person holds, and about what has just been done.

import type { PanelRecord } from '../../components/record-fields.ts'
import type { TenantRequest } from '../../request.ts'
import { pageUrl } from '../../urls.ts'

export type FormLink = { to: string; label: string }

/** `resource`: of the record. */
export function formLinks({ texts, baseParams }: TenantRequest, resource: string, record: PanelRecord): FormLink[] {
  const { link, statementLink } = texts.handOver
  const to = (params: Record<string, string | number>) =>
    pageUrl('hand_over.php', { tenant: baseParams.tenant, ...params })
  if (resource === 'hardware') return [{ to: to({ item: record.id }), label: link }]
  if (resource !== 'employees' || record.kind !== 'person') return []
  return [
    { to: to({ person: record.id, kind: 'hand_over' }), label: link },
    { to: to({ person: record.id }), label: statementLink },
  ]
}

/** What people sign for, as verbs and tasks are called. */
const signed = ['assign', 'hand_over', 'lend', 'return', 'give', 'offboard', 'onboard']

/** For the message that confirms what was done: the forms that go with it. */
export function confirmationLink(
  { texts, baseParams }: TenantRequest,
  task: string,
  changeSet: string | null,
): { link?: FormLink } {
  if (changeSet === null || !signed.includes(task)) return {}
  const to = pageUrl('hand_over.php', { tenant: baseParams.tenant, change_set: changeSet })
  return { link: { to, label: texts.handOver.printForm } }
}
