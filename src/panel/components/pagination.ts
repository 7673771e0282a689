// Pages of what is listed whole: tenants, users, keys. An installation may have thousands of them, a page has few.

import { html } from 'ghtml'
import { PageError, pageUrl, type SignedInRequest } from '../request.ts'

const perPage = 50

/** What people may search a list by; shown when there is more than a page of it, or something is searched for. */
export function searchItems<Item>(
  request: SignedInRequest,
  items: Item[],
  searchText: (item: Item) => string,
): { found: Item[]; form: string } {
  const { query, path, texts } = request
  const words = query.get('q')?.trim() ?? ''
  if (words === '' && items.length <= perPage) return { found: items, form: '' }
  const wanted = words.toLowerCase()
  const found = wanted === '' ? items : items.filter((each) => searchText(each).toLowerCase().includes(wanted))
  const form = html`<form class="search" role="search" action="${path}"><input type="search" name="q" value="${words}" aria-label="${texts.records.search}" placeholder="${texts.records.search}" autocomplete="off"><button>${texts.records.search}</button></form>`
  const none = found.length === 0 ? html`<p class="none">${texts.records.nothingFound}</p>` : ''
  return { found, form: html`<div class="tools">!${form}</div>!${none}` }
}

/** The items from `?from=` on, and the way to the others. */
export function paginate<Item>(
  { query, path, texts }: SignedInRequest,
  items: Item[],
): { shown: Item[]; paging: string } {
  const from = query.get('from') ?? '0'
  if (!/^\d{1,9}$/.test(from)) throw new PageError(400, 'bad_request')
  const [start, end] = [Number(from), Number(from) + perPage]
  const to = (from: number | null) => pageUrl(path, { ...Object.fromEntries(query), notice: null, from })
  const first = start > 0 ? html`<a href="${to(null)}">${texts.records.first}</a>` : ''
  const next = end < items.length ? html`<a class="button" rel="next" href="${to(end)}">${texts.records.next}</a>` : ''
  return { shown: items.slice(start, end), paging: first || next ? `<p class="paging">${first} ${next}</p>` : '' }
}
