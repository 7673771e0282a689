// Searches and paginates lists that are loaded completely: tenants, users and API keys. Such a list can have thousands
// of items.

import { html } from 'ghtml'
import { fold, foldSpelledOut } from '../../../domain/search/fold.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { PageError } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { hiddenField } from '../forms/forms.ts'
import { pageLinks } from '../sections.ts'

const perPage = 50

/** Filters the items by `?q=`. The search form is shown if there is more than one page, or while a search is active. */
export function searchItems<Item>(
  request: SignedInRequest,
  items: Item[],
  searchText: (item: Item) => string,
): { found: Item[]; form: string } {
  const { query, path, texts } = request
  const words = query.get('q')?.trim() ?? ''
  if (words === '' && items.length <= perPage) return { found: items, form: '' }
  const wanted = fold(words)
  const forms = (item: Item) => [fold, foldSpelledOut].map((form) => form(searchText(item)))
  const found = wanted === '' ? items : items.filter((each) => forms(each).some((form) => form.includes(wanted)))
  const label = texts.records.search
  const tenant = query.get('tenant')
  const form = html`<form class="search" role="search" action="${path}">
!${tenant ? hiddenField('tenant', tenant) : ''}
<input type="search" name="q" value="${words}" aria-label="${label}" placeholder="${label}" autocomplete="off">
<button>${label}</button></form>`
  return { found, form }
}

/** Returns the page of items that starts at `?from=`, and links to the other pages. */
export function paginate<Item>(
  { query, path, texts }: SignedInRequest,
  items: Item[],
): { shown: Item[]; paging: string } {
  const from = query.get('from') ?? '0'
  if (!/^\d{1,9}$/.test(from)) throw new PageError(400, 'bad_request')
  const [start, end] = [Number(from), Number(from) + perPage]
  const to = (from: number | null) => pageUrl(path, { ...Object.fromEntries(query), from })
  const links = { first: start > 0 ? to(null) : undefined, next: end < items.length ? to(end) : undefined }
  return { shown: items.slice(start, end), paging: pageLinks(texts, links) }
}
