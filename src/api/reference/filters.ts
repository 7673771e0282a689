// The filters of a list, grouped by field because there are too many to show one by one.

import { html } from 'ghtml'
import type { Operation, Parameter } from '../openapi/types.ts'
import { typeOf } from './schema.ts'
import { table } from './text.ts'

/** One row per field instead of one per parameter, of which there may be a hundred. */
export function filterTable(filters: Parameter[], { operationId }: Operation): string {
  if (filters.length === 0) return ''
  const byField = Object.groupBy(filters, (each) => each['x-filter']!.field)
  const rows = Object.entries(byField).map(([field, own = []]) => {
    const ways = own.map(({ name }) => {
      const operator = name === field ? '=' : name.slice(field.length)
      return html`<code>${operator}</code>`
    })
    const { schema } = own.find((each) => each.schema.type !== 'array') ?? own[0]!
    return html`<tr><th scope="row"><code>${field}</code></th><td>!${typeOf(schema)}</td><td>!${ways.join(' ')}</td></tr>`
  })
  return legend(filters) + table(`Filters of ${operationId}`, ['Filter', 'Kind', 'Ways to compare'], rows)
}

/** One input for all filters, in the form of a query string. */
export function filterField({ operationId }: Operation): string {
  return html`<label for="${operationId}-filters">Filters</label><input id="${operationId}-filters" data-in="filters" placeholder="created_at[gte]=2026-01-01&amp;id[ne]=1" autocomplete="off" spellcheck="false">`
}

/** Explains each operator once. */
function legend(filters: Parameter[]): string {
  const meanings = new Map(
    filters.map(({ name, description, 'x-filter': filter }) => [
      name.slice(filter!.field.length) || '=',
      description.split('. ', 1)[0]!.replace(/\.?$/, '.'),
    ]),
  )
  const entries = [...meanings].map(([way, meaning]) => html`<dt><code>${way}</code></dt><dd>${meaning}</dd>`)
  return html`<p>Filters can be combined; a record must match them all.</p><dl>!${entries.join('')}</dl>`
}
