// Renders a list that is loaded as a whole (tenants, users or API keys), together with the form that adds an item. Such
// a list can have thousands of items, so it can be searched and has pages.

import { fold, foldSpelledOut } from '../../../domain/search/fold.ts'
import { formatNumber } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { type FormErrors, statusFor } from '../../requests/submit.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { errorSummary, hiddenField } from '../forms/forms.ts'
import type { IconName } from '../icons.ts'
import { formMenu } from '../menu.ts'
import { titleBar } from '../page-parts.ts'
import { card, emptyState, pageLinks } from '../sections.ts'
import { listSearch } from './list-search.ts'
import { type Column, table } from './table.ts'

type ListPage<Item> = {
  title: string
  icon: IconName
  items: Item[]
  /** Returns an item's searchable text. */
  searchText: (item: Item) => string
  head: Column[]
  row: (item: Item) => string[]
  /** Shown if there are no items. */
  empty: string
  emptyHelp?: string
  /** The form that adds an item, as HTML. It opens from a menu, or is part of the page while the list is empty. */
  add: { label: string; form: string; errors: FormErrors }
  /** HTML below the list. */
  more?: string
}

export function listPage<Item>(request: SignedInRequest, page: ListPage<Item>): PageResponse {
  const { title, items, empty, emptyHelp, add, more = '', icon } = page
  const status = statusFor(add.errors)
  const { found, form: search } = searchItems(request, items, page.searchText)
  const form = errorSummary(add.errors.errorMessage) + add.form
  const isEmpty = items.length === 0
  const head = titleBar({
    title,
    count: isEmpty ? '' : formatNumber(request.texts, found.length),
    controls: search,
    actions: isEmpty ? '' : formMenu(add.label, form, status !== 200),
  })
  const list = isEmpty ? emptyState(empty, emptyHelp, '', icon) + card(add.label, form) : listOf(request, page, found)
  return { kind: 'page', title, bodyHasHeading: true, body: head + list + more, status }
}

function listOf<Item>(request: SignedInRequest, { head, row, icon }: ListPage<Item>, found: Item[]): string {
  if (found.length === 0) return emptyState(request.texts.records.nothingFound, '', '', icon)
  const { shown, paging } = paginate(request, found)
  return table({ head, rows: shown.map(row), name: 'records' }) + paging
}

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
  const needle = fold(words)
  const forms = (item: Item) => [fold, foldSpelledOut].map((form) => form(searchText(item)))
  const found = needle === '' ? items : items.filter((each) => forms(each).some((form) => form.includes(needle)))
  const label = texts.records.search
  const tenant = query.get('tenant')
  const hidden = tenant ? hiddenField('tenant', tenant) : ''
  return { found, form: listSearch(texts, { action: path, hidden, label, value: words }) }
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
