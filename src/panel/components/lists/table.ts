// Renders tables. On narrow screens, a list's rows become cards.

import { html } from 'ghtml'

/** A column without a label has no header. */
export type Column = { label: string; isNumber?: boolean }

/** `records`: one line per record, with a link in the first cell. `log`: entries that may take up several lines.
 *  `answers`: the rows of a form, each with an input in its last cell. `asked`: those that the user should look at. */
type ListKind = 'records' | 'log' | 'answers' | 'asked'

const classes: Record<ListKind, string> = {
  records: 'records list',
  log: 'records log',
  answers: 'records answers',
  asked: 'records answers asked',
}

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

function headCell({ label, isNumber }: Column): string {
  if (label === '') return '<td></td>'
  return html`<th scope="col"!${isNumber ? ' class="number"' : ''}>${label}</th>`
}

function cellAttributes({ label, isNumber }: Column, name: string | undefined): string {
  if (isNumber) return ' class="number"'
  return name === undefined || label === '' ? '' : html` data-label="${label}"`
}

export function labelColumns(...labels: string[]): Column[] {
  return labels.map((label) => ({ label }))
}
