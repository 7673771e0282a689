// Renders tables. On narrow screens, a list's rows become two-line cards.

import { html } from 'ghtml'

/** `href`: the link that sorts by this column. `sorted`: the current sort order. A column without a label has no
 *  header. */
export type Column = {
  label: string
  href?: string
  sorted?: 'ascending' | 'descending' | undefined
  isNumber?: boolean
}

/** `records`: one line per record, with a link in the first cell. `log`: entries that may take up several lines. */
type ListKind = 'records' | 'log'

const classes: Record<ListKind, string> = { records: 'records list', log: 'records' }

/** Renders a table. `rows`: the cells as HTML. Each row's first cell is its header. */
export function table(options: { head: Column[]; rows: string[][]; name?: ListKind }): string {
  const { head, rows, name } = options
  const columns = head.slice(1)
  const body = rows.map(([header, ...cells]) => {
    const rest = cells.map((cell, index) => html`<td!${cellAttributes(columns[index]!, name)}>!${cell}</td>`)
    return html`<tr><th scope="row">!${header}</th>!${rest}</tr>`
  })
  return html`<table!${name && html` class="${classes[name]}"`}>
<thead><tr>!${head.map(headCell)}</tr></thead>
<tbody>!${body}</tbody>
</table>`
}

function headCell({ label, href, sorted, isNumber }: Column): string {
  if (label === '') return '<td></td>'
  const content = href === undefined ? html`${label}` : html`<a href="${href}">${label}</a>`
  const attributes = html`!${isNumber ? ' class="number"' : ''}!${sorted && html` aria-sort="${sorted}"`}`
  return html`<th scope="col"!${attributes}>!${content}</th>`
}

function cellAttributes({ label, isNumber }: Column, name: string | undefined): string {
  if (isNumber) return ' class="number"'
  return name === undefined || label === '' ? '' : html` data-label="${label}"`
}

/** Returns columns that only have a label. */
export function labelColumns(...labels: string[]): Column[] {
  return labels.map((label) => ({ label }))
}
