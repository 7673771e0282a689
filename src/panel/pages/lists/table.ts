// Renders a list's table. A click anywhere in a row, except on a link or control of its own, opens the row's record.

import { html } from 'ghtml'
import { icon } from '../../components/icons.ts'
import { menu, menuLinks } from '../../components/menu.ts'
import type { PanelRecord } from '../../components/record-fields.ts'
import { pageUrl } from '../../urls.ts'
import { isSelectable, selectBox, selectPageBox } from '../bulk-edit/selection-form.ts'
import type { RecordRequest } from '../records/request.ts'
import type { CellContext, ListColumn } from './columns.ts'
import { addressParams, type ListState } from './state.ts'

export function listTable(
  context: CellContext,
  state: ListState,
  columns: readonly ListColumn[],
  records: readonly PanelRecord[],
): string {
  const { request } = context
  const hasBoxes = isSelectable(request)
  const head = columns.map((column) => headCell(request, state, column))
  const rows = records.map((record) => row(context, columns, record, hasBoxes))
  return html`<div class="scroll"><table class="records list">
<thead><tr>!${hasBoxes ? html`<td class="select">!${selectPageBox(request)}</td>` : ''}!${head}</tr></thead>
<tbody>!${rows}</tbody>
</table></div>`
}

function row(context: CellContext, columns: readonly ListColumn[], record: PanelRecord, hasBox: boolean): string {
  const [first, ...others] = columns
  const box = hasBox ? html`<td class="select">!${selectBox(context.request, record)}</td>` : ''
  const cells = others.map(({ isNumber, isCode, cell }) => {
    const className = isNumber ? 'number' : isCode ? 'code' : ''
    return html`<td!${className && html` class="${className}"`}>!${cell(context, record)}</td>`
  })
  return html`<tr>!${box}<th scope="row">!${first!.cell(context, record)}</th>!${cells}</tr>`
}

/** Returns the direction in which the list is currently sorted by this field (undefined if it is not), and the `sort`
 *  value for the link in the field's heading. */
function sortStateOf({ sort: current = 'id' }: ListState, sort: string) {
  const order = current === sort ? 'ascending' : current === `-${sort}` ? 'descending' : undefined
  return { order, next: order === 'ascending' ? `-${sort}` : sort }
}

/** Renders the menu that sorts the list on phones, where the table has no head. */
export function sortMenu({ texts, baseParams }: RecordRequest, state: ListState, columns: readonly ListColumn[]) {
  const links = columns.flatMap(({ label, sort }) => {
    if (sort === undefined) return []
    const { order, next } = sortStateOf(state, sort)
    const to = pageUrl('records.php', { ...baseParams, ...addressParams({ ...state, sort: next }) })
    const arrow = order === undefined ? '' : order === 'ascending' ? ' ↑' : ' ↓'
    return [{ to, label: label + arrow, isCurrent: order !== undefined }]
  })
  const summary = html`!${icon('sort')}<span>${texts.lists.sortMenu}</span>`
  return menu({ summary, body: menuLinks(links), name: 'end sort' })
}

/** Renders a column's heading. A click sorts by this column, and a second click reverses the order. */
function headCell({ baseParams }: RecordRequest, state: ListState, { label, sort, isNumber }: ListColumn): string {
  const classAttribute = isNumber ? ' class="number"' : ''
  if (sort === undefined) return html`<th scope="col"!${classAttribute}>${label}</th>`
  const { order, next } = sortStateOf(state, sort)
  const url = pageUrl('records.php', { ...baseParams, ...addressParams({ ...state, sort: next }) })
  const sortAttribute = order ? html` aria-sort="${order}"` : ''
  return html`<th scope="col"!${classAttribute}!${sortAttribute}><a href="${url}">${label}</a></th>`
}
