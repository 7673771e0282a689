// The part of a form in which a person's equipment is chosen from stock.

import { html } from 'ghtml'
import { resourceNamed } from '../../../resources/resource.ts'
import { isOffered } from '../../../resources/verbs/verbs.ts'
import { hiddenField } from '../../components/forms.ts'
import type { TenantRequest } from '../../request.ts'
import { readList } from '../records/queries.ts'
import { detailsOf } from './item-list.ts'
import { type Item, listItems, readIds, readItems } from './items.ts'

/** The form shows at most this many assets of the stock; a search finds the others. */
const mostShown = 30

/** Storage locations whose assets are offered. */
const mostPlaces = 200

/** Check boxes: the chosen assets first, then those in stock at the branch, then those elsewhere. */
export async function stockList(request: TenantRequest, branch: number | null): Promise<string> {
  const { form: sent, texts } = request
  const words = sent.get('find.stock') ?? ''
  const chosen = await readItems(request, readIds(sent.getAll('ids')))
  const found = await findInStock(request, words, branch)
  const isChosen = new Set(chosen.map(({ id }) => id))
  const items = [...chosen, ...found.filter(({ id }) => !isChosen.has(id))]
  const boxes = items.map((item) => box(texts, item, isChosen.has(item.id)))
  const none = words === '' ? texts.verbs.stockEmpty : texts.records.nothingFound
  return html`<div class="find">
<input type="search" name="find.stock" value="${words}" aria-label="${texts.verbs.searchStock}"
 placeholder="${texts.verbs.searchStock}" autocomplete="off">
<button name="find" value="stock" formnovalidate>${texts.records.search}</button>
</div>
<div class="options">!${boxes.length > 0 ? boxes : html`<p class="none">${none}</p>`}</div>`
}

function box(texts: TenantRequest['texts'], item: Item, isChosen: boolean): string {
  const details = detailsOf(texts, item).join(' · ')
  return html`<label><input type="checkbox" name="ids" value="${item.id}"!${isChosen ? ' checked' : ''}>
<bdi>${item.name}</bdi> <small><bdi>${details}</bdi></small></label>!${hiddenField(`etag.${item.id}`, item.etag)}`
}

async function findInStock(request: TenantRequest, words: string, branch: number | null): Promise<Item[]> {
  const places = await readPlaces(request)
  const own = places.filter(({ customer_id }) => customer_id === branch)
  const others = places.filter(({ customer_id }) => customer_id !== branch)
  const near = await listAt(request, words, own, mostShown)
  return [...near, ...(await listAt(request, words, others, mostShown - near.length))]
}

async function readPlaces(request: TenantRequest) {
  const { resources, baseParams } = request
  const employees = resourceNamed(resources, 'employees')
  const recordRequest = { ...request, resource: employees, baseParams: { ...baseParams, resource: employees.name } }
  return (await readList(recordRequest, employees, { kind: 'storage', limit: String(mostPlaces) })).records
}

async function listAt(request: TenantRequest, words: string, places: { id: number }[], limit: number): Promise<Item[]> {
  if (places.length === 0 || limit < 1) return []
  const q = words.replaceAll('\0', '').toWellFormed().trim().slice(0, 100).split(/\s+/).slice(0, 10).join(' ')
  const items = await listItems(request, {
    'employee_id[in]': places.map(({ id }) => id).join(','),
    'status[in]': 'spare,reserved,in_use',
    limit: String(limit),
    ...(q && { q }),
  })
  return items.filter(({ state }) => isOffered('assign', state))
}
