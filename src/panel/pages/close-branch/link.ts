import type { PanelRecord } from '../../components/record-fields.ts'
import { pageUrl } from '../../urls.ts'
import type { RecordRequest } from '../records/request.ts'

/** Returns the URL of the page that closes a branch; undefined if the record is not an open branch or the user is a
 *  viewer. */
export function closeBranchUrl(
  { resource, baseParams, canWrite }: RecordRequest,
  record: PanelRecord,
): string | undefined {
  if (resource.name !== 'customers' || !record.is_active || !canWrite) return undefined
  return pageUrl('close_branch.php', { tenant: baseParams.tenant, id: record.id })
}
