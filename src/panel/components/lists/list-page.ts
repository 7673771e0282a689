// Renders a list that is loaded as a whole (tenants, users or API keys), together with the form that adds an item.

import { formatNumber } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { type FormErrors, statusFor } from '../../requests/submit.ts'
import type { PageResponse } from '../../responses.ts'
import { errorSummary } from '../forms/forms.ts'
import type { IconName } from '../icons.ts'
import { formMenu } from '../menu.ts'
import { titleBar } from '../page-parts.ts'
import { card, emptyState } from '../sections.ts'
import { paginate, searchItems } from './pagination.ts'
import { type Column, table } from './table.ts'

export type ListPage<Item> = {
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
