// Renders the part of a form in which the user chooses equipment from stock for a person.

import { html } from 'ghtml'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { isOffered } from '../../../domain/equipment/verbs.ts'
import { hiddenField } from '../../components/forms/forms.ts'
import { resourceTexts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { listUrl } from '../../urls.ts'
import { readList } from '../records/queries.ts'
import { detailsOf, type Item, listItems, readItemIds, readItems, withTag } from './items.ts'

/** The form shows at most this many assets in stock. Users find other assets with the search. */
const maxShown = 30

/** A search covers at most this many storage locations. */
const maxPlaces = 200

/** The name of the search field, and the name of the hidden field with the last search's words. */
const typedName = 'find.stock'
const searchedName = 'was.stock'

/** The id of the page part that parts.js updates while the user types. */
const foundId = 'stock-found'

/** Whether the form was submitted to search the stock. The user either pressed the search button, or typed
 *  different words and pressed Enter. */
export function isSearch(form: URLSearchParams): boolean {
  return form.has('find') || (form.get(typedName) ?? '') !== (form.get(searchedName) ?? '')
}

/** Renders a checkbox for each asset: first the chosen assets, then those in stock at the branch, then those in
 *  stock elsewhere. */
export async function stockList(request: TenantRequest, branch: number | null): Promise<string> {
  const { form: formValues, texts } = request
  const words = formValues.get(typedName) ?? ''
  const chosen = await readItems(request, readItemIds(formValues.getAll('ids')))
  const matches = await findInStock(request, words, branch)
  const chosenIds = new Set(chosen.map(({ id }) => id))
  const items = [...chosen, ...matches.filter(({ id }) => !chosenIds.has(id))]
  const rows = items.map((item) => stockItem(request, item, chosenIds.has(item.id)))
  const none = words === '' ? texts.verbs.stockEmpty : texts.records.nothingFound
  const addUrl = listUrl(request, 'hardware', { new: 1 })
  const add = words === '' ? html` <a href="${addUrl}">${resourceTexts(texts, 'hardware').add}</a>` : ''
  const announcement = rows.length > 0 ? resourceTexts(texts, 'hardware').count(rows.length) : none
  return html`<div class="find">
<input type="search" name="${typedName}" value="${words}" aria-label="${texts.verbs.searchStock}"
 placeholder="${texts.verbs.searchStock}" autocomplete="off" dir="auto" data-finds="${foundId}">
<button name="find" value="stock" formnovalidate>${texts.records.search}</button>
</div>
<div id="${foundId}" data-announcement="${announcement}">!${hiddenField(searchedName, words)}
!${rows.length > 0 ? html`<ul class="picks choices">!${rows}</ul>` : html`<p class="none">${none}!${add}</p>`}
!${matches.length < maxShown ? '' : html`<p class="hint">${texts.verbs.moreInStock}</p>`}</div>`
}

function stockItem(request: TenantRequest, item: Item, isChosen: boolean): string {
  const name = withTag(request, item, html`<bdi class="name">${item.name}</bdi>`)
  const details = detailsOf(request.texts, item).join(' · ')
  const box = html`<input type="checkbox" name="ids" value="${item.id}"!${isChosen ? ' checked' : ''}>`
  return html`<li><label>!${box}<span>!${name} <small><bdi>${details}</bdi></small></span>
</label>!${hiddenField(`etag.${item.id}`, item.etag)}</li>`
}

async function findInStock(request: TenantRequest, words: string, branch: number | null): Promise<Item[]> {
  const places = await readPlaces(request)
  const atBranch = places.filter(({ customer_id }) => customer_id === branch)
  const elsewhere = places.filter(({ customer_id }) => customer_id !== branch)
  const items = await listStockAt(request, words, atBranch, maxShown)
  return [...items, ...(await listStockAt(request, words, elsewhere, maxShown - items.length))]
}

async function readPlaces(request: TenantRequest) {
  const employees = resourceNamed(request.resources, 'employees')
  return (await readList(request, employees, { kind: 'storage', limit: String(maxPlaces) })).records
}

async function listStockAt(
  request: TenantRequest,
  words: string,
  places: { id: number }[],
  limit: number,
): Promise<Item[]> {
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
