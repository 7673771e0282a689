// Reads and lists the assets that a page is about, with their holders and branches.

import { html } from 'ghtml'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { type ItemState, stateOf } from '../../../domain/equipment/verbs.ts'
import { readListPage } from '../../../domain/lists/list-page.ts'
import { tagRecord } from '../../../engine/responses/stored-response.ts'
import { codeBeside, includedRecord, type PanelRecord, titleOf } from '../../components/record-fields.ts'
import type { Texts } from '../../i18n/index.ts'
import { requireNumber } from '../../requests/read-number.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { PageError } from '../../responses.ts'
import { linkRecord } from '../../urls.ts'
import { readPanelListRequest } from '../records/queries.ts'

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
export function readItemIds(texts: readonly string[]): number[] {
  const ids = texts.flatMap((each) => each.split(',')).filter((each) => each !== '')
  const distinct = [...new Set(ids.map(requireNumber))]
  if (distinct.length > maxItems) throw new PageError(400, 'bad_request')
  return distinct
}

/** Returns the assets with these ids, in the same order. Unknown ids are left out. */
export async function readItems(request: TenantRequest, ids: readonly number[]): Promise<Item[]> {
  if (ids.length === 0) return []
  const items = await listItems(request, { 'id[in]': ids.join(','), limit: String(maxItems) })
  const byId = new Map(items.map((item) => [item.id, item]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Returns the assets that match a list's parameters. */
export async function listItems(request: TenantRequest, params: Record<string, string>): Promise<Item[]> {
  const { deps, tenant, resources } = request
  const hardware = resourceNamed(resources, 'hardware')
  const included = { ...params, include: 'employee,employee.customer' }
  const listRequest = readPanelListRequest(request, included, hardware)
  const { data } = await readListPage(deps, tenant, hardware.name, listRequest)
  return JSON.parse(`[${data}]`).map((each: PanelRecord) => toItem(request.texts, each, hardware.title))
}

function toItem(texts: Texts, each: PanelRecord, title: readonly string[] | undefined): Item {
  const { employee: _, ...record } = each
  const holder = includedRecord(each, 'employee_id')!
  const branch = includedRecord(holder, 'customer_id')!
  const { etag } = tagRecord(record)
  const name = titleOf(record, title, texts)
  return { id: record.id, name, record, holder, branch, state: stateOf(record, holder), etag }
}

/** Renders an asset's name and, beside it, the tag on its label. `name`: HTML that contains the name. */
export function withTag({ deps, resources }: TenantRequest, item: Item, name: string): string {
  const { code } = deps.presentationOf(resourceNamed(resources, 'hardware'))
  return name + codeBeside(item.record, item.name, code)
}

/** Lists the assets that a form is about, with the details that distinguish them. `more`: returns a remark about an
 *  asset. */
export function itemList(request: TenantRequest, items: readonly Item[], more?: (item: Item) => string): string {
  const rows = items.map((item) => {
    const remark = more ? [more(item)] : []
    const link = linkRecord(request, 'hardware', item.id, item.name)
    const details = [...detailsOf(request.texts, item), ...remark].join(' · ')
    return html`<li>!${withTag(request, item, link)} <small><bdi>${details}</bdi></small></li>`
  })
  return html`<ul class="picks">!${rows}</ul>`
}

/** Returns the details that distinguish an asset, besides its tag: its serial number and model. `all` adds its holder
 *  and branch. */
export function detailsOf(texts: Texts, item: Item, which: 'all' | 'without holder' = 'all'): string[] {
  const { name, record, holder, state, branch } = item
  const { serial_number, model } = record
  const details = [serial_number, model].filter((each) => typeof each === 'string' && each !== name)
  if (which === 'without holder') return details.map(String)
  const place = state.holder === 'storage' ? texts.verbs.inStock(titleOf(holder)) : titleOf(holder, ['name', 'email'])
  const where = titleOf(holder) === titleOf(branch) ? [] : [titleOf(branch)]
  return [...details.map(String), place, ...where]
}
