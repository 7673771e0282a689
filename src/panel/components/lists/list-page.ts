// Renders a list that is loaded as a whole (tenants, users or API keys), together with the form that adds an item. Such
// a list can have thousands of items, so it can be searched and has pages.

import { html } from 'ghtml'
import { fold, foldSpelledOut } from '../../../domain/search/fold.ts'
import { formatNumber, type Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { type FormErrors, statusFor } from '../../requests/submit.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { errorSummary, hiddenFields } from '../forms/forms.ts'
import { type IconName, icon, icon as iconOf } from '../icons.ts'
import { formMenu } from '../menu.ts'
import { card, emptyState, pageLinks, titleBar } from '../sections.ts'
import { type Column, table } from './table.ts'

type ListPage<Item> = {
  title: string
  icon: IconName
  items: Item[]
  searchText: (item: Item) => string
  head: Column[]
  row: (item: Item) => string[]
  /** Shown if there are no items. */
  empty: string
  emptyHelp?: string
  /** The form that adds an item, as HTML, which opens from a menu, or is part of the page while the list is empty; or
   *  the URL of a page with that form. `errors`: of the page's form that was refused. */
  add: { label: string; errors: FormErrors } & ({ form: string } | { to: string })
  /** HTML below the list. */
  more?: string
}

export function listPage<Item>(request: SignedInRequest, page: ListPage<Item>): PageResponse {
  const { title, items, empty, emptyHelp, add, more = '', icon } = page
  const status = statusFor(add.errors)
  const { found, form: search } = searchItems(request, items, page.searchText)
  const summary = errorSummary(add.errors.errorMessage)
  const link = 'to' in add ? html`<a class="button main" href="${add.to}">!${iconOf('add')}${add.label}</a>` : ''
  const form = 'form' in add ? summary + add.form : ''
  const isEmpty = items.length === 0
  const head = titleBar({
    title,
    count: isEmpty ? '' : formatNumber(request.texts, found.length),
    controls: search,
    actions: isEmpty ? '' : link || formMenu(add.label, form, status !== 200),
  })
  const emptyList = emptyState(empty, emptyHelp, link, icon) + (form && card(add.label, form))
  const list = (link && summary) + (isEmpty ? emptyList : listOf(request, page, found))
  return { kind: 'page', title, bodyHasHeading: true, body: head + list + more, status }
}

function listOf<Item>(request: SignedInRequest, { head, row, icon }: ListPage<Item>, found: Item[]): string {
  if (found.length === 0) return emptyState(request.texts.records.nothingFound, '', '', icon)
  const { shown, paging } = paginate(request, found)
  return table({ head, rows: shown.map(row), name: 'records' }) + paging
}

const perPage = 50

/** Filters the items by `?q=`. The search form is shown if there is more than one page, or while a search is active. */
export function searchItems<Item>(request: SignedInRequest, items: Item[], searchText: (item: Item) => string) {
  const { query, path, texts } = request
  const words = query.get('q')?.trim() ?? ''
  if (words === '' && items.length <= perPage) return { found: items, form: '' }
  const needle = fold(words)
  const forms = (item: Item) => [fold, foldSpelledOut].map((form) => form(searchText(item)))
  const found = needle === '' ? items : items.filter((each) => forms(each).some((form) => form.includes(needle)))
  const label = texts.records.search
  const hidden = hiddenFields({ tenant: query.get('tenant') || undefined })
  return { found, form: listSearch(texts, { action: path, hidden, label, value: words }) }
}

/** Returns the page of items that starts at `?from=`, and links to the other pages. */
export function paginate<Item>({ query, path, texts }: SignedInRequest, items: Item[]) {
  const from = query.get('from') ?? '0'
  if (!/^\d{1,9}$/.test(from)) throw new PageError(400, 'bad_request')
  const [start, end] = [Number(from), Number(from) + perPage]
  const to = (from: number | null) => pageUrl(path, { ...Object.fromEntries(query), from })
  const links = { first: start > 0 ? to(null) : undefined, next: end < items.length ? to(end) : undefined }
  return { shown: items.slice(start, end), paging: pageLinks(texts, links) }
}

/** `hidden`: the form's other fields, as HTML. `label`: what screen readers call the field, and its placeholder.
 *  `isLive`: whether list-search.js updates the list while the user types. */
type ListSearch = { action: string; hidden: string; label: string; value: string; isLive?: boolean }

/** Renders the search form of a list. Its button is the icon in the field. */
export function listSearch({ records }: Texts, { action, hidden, label, value, isLive }: ListSearch): string {
  const attribute = isLive ? ' data-live' : ''
  return html`<form class="search" role="search" action="${action}"!${attribute}>!${hidden}
<button class="quiet" aria-label="${records.search}">!${icon('search')}</button>
<input type="search" name="q" value="${value}" aria-label="${label}" placeholder="${label}" dir="auto"
 autocomplete="off"></form>`
}
