// Renders a list's table. A click anywhere in a row, except on a link or control of its own, opens the row's record.

import { html } from 'ghtml'
import type { BidirectionalPage } from '../../../domain/lists/list-page.ts'
import { icon } from '../../components/icons.ts'
import { menu, menuLinks } from '../../components/menu.ts'
import type { PanelRecord } from '../../components/record-fields.ts'
import { formatNumber } from '../../i18n/index.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { firstSelectedId, isSelectable, selectBox, selectionOf, selectPageBox } from '../bulk-edit/selection-form.ts'
import type { CellContext, ListColumn } from './columns.ts'
import { type ListState, pageSizes, stateUrl } from './state.ts'

/** What tables are about, besides their columns and records. */
type TableContext = Omit<CellContext, 'columns'>

export function listTable(
  context: TableContext,
  state: ListState,
  columns: readonly ListColumn[],
  records: readonly PanelRecord[],
): string {
  const { request } = context
  const hasBoxes = isSelectable(request)
  const head = columns.map((column) => headCell(request, state, column))
  const isSelected = selectionOf(request)
  const firstSelected = hasBoxes ? records.find(isSelected) : undefined
  const rows = records.map((record) => {
    const id = record === firstSelected ? html` id="${firstSelectedId}"` : ''
    const box = hasBoxes ? html`<td class="select">!${selectBox(request, record, isSelected(record))}</td>` : ''
    return html`<tr!${id}>!${box}!${cells(context, columns, record)}</tr>`
  })
  return html`<div class="scroll"><table class="records list">
<thead><tr>!${hasBoxes ? html`<td class="select">!${selectPageBox(request)}</td>` : ''}!${head}</tr></thead>
<tbody>!${rows}</tbody>
</table></div>`
}

/** Renders a table of records outside their list: without checkboxes, and without links that sort it. */
export function recordTable(
  context: TableContext,
  columns: readonly ListColumn[],
  records: readonly PanelRecord[],
): string {
  const head = columns.map(({ label }) => html`<th scope="col">${label}</th>`)
  const rows = records.map((record) => html`<tr>!${cells(context, columns, record)}</tr>`)
  return html`<table class="records list"><thead><tr>!${head}</tr></thead><tbody>!${rows}</tbody></table>`
}

function cells(table: TableContext, columns: readonly ListColumn[], record: PanelRecord): string {
  const context: CellContext = { ...table, columns: columns.map(({ name }) => name) }
  const [first, ...others] = columns
  const rest = others.map(({ isNumber, isCode, cardLabel, cell }) => {
    const className = isNumber ? 'number' : isCode ? 'code' : ''
    const attributes = [className && html` class="${className}"`, cardLabel && html` data-label="${cardLabel}"`]
    return html`<td!${attributes.filter(Boolean)}>!${cell(context, record)}</td>`
  })
  return html`<th scope="row">!${first!.cell(context, record)}</th>!${rest}`
}

/** Returns the direction in which the list is currently sorted by this field (undefined if it is not), and the `sort`
 *  value for the link in the field's heading. */
function sortStateOf(request: RecordRequest, state: ListState, sort: string) {
  const { sort: current = 'id' } = state
  const order = current === sort ? 'ascending' : current === `-${sort}` ? 'descending' : undefined
  return { order, url: stateUrl(request, { ...state, sort: order === 'ascending' ? `-${sort}` : sort }) }
}

/** Renders the menu that sorts the list on phones, where the table has no head. */
export function sortMenu(request: RecordRequest, state: ListState, columns: readonly ListColumn[]) {
  const links = columns.flatMap(({ label, sort }) => {
    if (sort === undefined) return []
    const { order, url: to } = sortStateOf(request, state, sort)
    const arrow = order === undefined ? '' : order === 'ascending' ? ' ↑' : ' ↓'
    return [{ to, label: label + arrow, isCurrent: order !== undefined }]
  })
  const summary = html`!${icon('sort')}<span>${request.texts.lists.sortMenu}</span>`
  return menu({ summary, body: menuLinks(links), name: 'end sort' })
}

/** Renders a column's heading. A click sorts by this column, and a second click reverses the order. */
function headCell(request: RecordRequest, state: ListState, { label, sort, isNumber }: ListColumn): string {
  const classAttribute = isNumber ? ' class="number"' : ''
  if (sort === undefined) return html`<th scope="col"!${classAttribute}>${label}</th>`
  const { order, url } = sortStateOf(request, state, sort)
  const sortAttribute = order ? html` aria-sort="${order}"` : ''
  return html`<th scope="col"!${classAttribute}!${sortAttribute}><a href="${url}">${label}</a></th>`
}

export function pagination(request: RecordRequest, state: ListState, page: BidirectionalPage<{ id: number }>): string {
  const { texts } = request
  const { lists } = texts
  const shown = page.records.length
  if (shown === 0) return ''
  const last = state.from + shown - 1
  const [from, until] = [formatNumber(texts, state.from), formatNumber(texts, last)]
  const range =
    page.total === null
      ? lists.rangeOnly(from, until)
      : lists.range(from, until, formatNumber(texts, Math.max(page.total, last)))
  const previous = page.previous === null ? '' : previousUrl(request, state, page.previous)
  const next = page.next === null ? '' : stateUrl(request, state, { cursor: page.next, from: last + 1 })
  const isShort = page.previous === null && page.next === null && shown <= pageSizes[0]
  const sizes = pageSizes.map((size) => {
    const url = stateUrl(request, { ...state, limit: size })
    return size === state.limit ? html`<b aria-current="true">${size}</b>` : html`<a href="${url}">${size}</a>`
  })
  const back =
    previous && html`<a class="button" rel="prev" href="${previous}">!${icon('previous')}${lists.previous}</a>`
  return html`<nav class="paging" aria-label="${range}">
<span class="steps">!${back}
<span>${range}</span>
!${next && html`<a class="button" rel="next" href="${next}">${lists.next}!${icon('next')}</a>`}</span>
!${isShort ? '' : html`<span class="sizes">${lists.perPage} !${sizes.join(' ')}</span>`}</nav>`
}

/** From the second page, it leads to the first page, even if records have since been added there. */
function previousUrl(request: RecordRequest, state: ListState, before: string): string {
  const { from, limit } = state
  return stateUrl(request, state, from <= limit + 1 ? {} : { before, from: from - limit })
}
