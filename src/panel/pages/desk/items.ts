// Reads the assets that a page is about, with their holders and branches.

import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { type ItemState, stateOf } from '../../../domain/equipment/verbs.ts'
import { readListPage } from '../../../domain/lists/list-page.ts'
import { tagRecord } from '../../../engine/responses/entity-tags.ts'
import { includedRecord, type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { readPanelListRequest } from '../../requests/list-request.ts'
import { requireNumber } from '../../requests/read-number.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { PageError } from '../../responses.ts'

/** `etag`: the version of the asset that the user sees. */
export type Item = {
  id: number
  name: string
  record: PanelRecord
  holder: PanelRecord
  branch: PanelRecord
  state: ItemState
  etag: string
}

/** A page can show at most this many assets. */
export const maxItems = 200

/** Parses strings of comma-separated ids. Throws a PageError for invalid ids, and for more than `maxItems`. */
export function readIds(given: readonly string[]): number[] {
  const ids = given.flatMap((each) => each.split(',')).filter((each) => each !== '')
  const distinct = [...new Set(ids.map(requireNumber))]
  if (distinct.length > maxItems) throw new PageError(400, 'bad_request')
  return distinct
}

/** Returns the assets with these ids, in the same order. Unknown ids are left out. */
export async function readItems(request: TenantRequest, ids: readonly number[]): Promise<Item[]> {
  if (ids.length === 0) return []
  const found = await listItems(request, { 'id[in]': ids.join(','), limit: String(maxItems) })
  const byId = new Map(found.map((item) => [item.id, item]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Returns the assets that match a list's parameters. */
export async function listItems(request: TenantRequest, params: Record<string, string>): Promise<Item[]> {
  const { deps, tenant, resources } = request
  const hardware = resourceNamed(resources, 'hardware')
  const included = { ...params, include: 'employee,employee.customer' }
  const listRequest = readPanelListRequest(request, included, hardware)
  const { data } = await readListPage(deps, tenant, hardware.name, listRequest)
  return JSON.parse(`[${data}]`).map((each: PanelRecord) => toItem(each, hardware.title))
}

function toItem({ employee, ...record }: PanelRecord, title: readonly string[] | undefined): Item {
  const holder = employee as PanelRecord
  const { etag } = tagRecord(record as Parameters<typeof tagRecord>[0])
  return {
    id: record.id,
    name: titleOf(record, title),
    record: record as PanelRecord,
    holder,
    branch: includedRecord(holder, 'customer_id')!,
    state: stateOf(record, holder),
    etag,
  }
}
