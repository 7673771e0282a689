import type { PanelRecord } from '../../components/record-fields.ts'
import { pageUrl } from '../../urls.ts'
import type { RecordRequest } from '../records/request.ts'

/** The address of the page that closes a branch; undefined for records that are not open branches, and for viewers. */
export function closeBranchUrl(
  { resource, baseParams, canWrite }: RecordRequest,
  record: PanelRecord,
): string | undefined {
  if (resource.name !== 'customers' || !record.is_active || !canWrite) return undefined
  return pageUrl('close_branch.php', { tenant: baseParams.tenant, id: record.id })
}
