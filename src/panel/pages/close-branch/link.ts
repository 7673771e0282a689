import { html } from 'ghtml'
import type { PanelRecord } from '../../components/record-fields.ts'
import { pageUrl } from '../../urls.ts'
import type { RecordRequest } from '../records/request.ts'

/** A link from the page of an open branch to the page that closes it; empty for every other record. */
export function closeBranchLink({ texts, resource, baseParams, canWrite }: RecordRequest, record: PanelRecord): string {
  if (resource.name !== 'customers' || !record.is_active || !canWrite) return ''
  const url = pageUrl('close_branch.php', { tenant: baseParams.tenant, id: record.id })
  return html`<a class="button quiet" href="${url}">${texts.closeBranch.link}</a>`
}
