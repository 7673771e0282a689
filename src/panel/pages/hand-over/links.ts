// Links to the printed forms about an asset, about everything that a person holds, and about a change that has just
// been made.

import type { PanelRecord } from '../../components/record-fields.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { pageUrl } from '../../urls.ts'

export type FormLink = { to: string; label: string }

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

/** The names of the verbs and tasks that people confirm with a signature. */
const signedTasks = ['assign', 'hand_over', 'lend', 'return', 'give', 'offboard', 'onboard']

/** Returns the link from a confirmation message to the printed forms for the change. */
export function confirmationLink(
  { texts, baseParams }: TenantRequest,
  task: string | undefined,
  changeSet: string | null,
): { link?: FormLink } {
  if (changeSet === null || task === undefined || !signedTasks.includes(task)) return {}
  const to = pageUrl('hand_over.php', { tenant: baseParams.tenant, change_set: changeSet })
  return { link: { to, label: texts.handOver.printForm } }
}
