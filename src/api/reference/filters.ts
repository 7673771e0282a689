// Shows a list's filters, grouped by field because there are too many to show one by one.

import { html } from 'ghtml'
import type { Operation, Parameter } from '../openapi/types.ts'
import { typeOf } from './schema.ts'
import { table } from './text.ts'

/** Returns a legend of the operators, and a table with one row per field. With one row per parameter, the table could
 *  have a hundred rows. */
export function filterTable(filters: Parameter[], { operationId }: Operation): string {
  if (filters.length === 0) return ''
  const byField = Object.groupBy(filters, (filter) => filter['x-filter']!.field)
  const rows = Object.entries(byField).map(([field, fieldFilters = []]) => {
    const operators = fieldFilters.map(({ name }) => {
      const operator = name === field ? '=' : name.slice(field.length)
      return html`<code>${operator}</code>`
    })
    const { schema } = fieldFilters.find(({ schema }) => schema.type !== 'array') ?? fieldFilters[0]!
    return html`<tr><th scope="row"><code>${field}</code></th><td>!${typeOf(schema)}</td><td>!${operators.join(' ')}</td></tr>`
  })
  return legend(filters) + table(`Filters of ${operationId}`, ['Filter', 'Kind', 'Ways to compare'], rows)
}

/** Returns a single input for all filters, which the user enters as a query string. */
export function filterField({ operationId }: Operation): string {
  return html`<label for="${operationId}-filters">Filters</label><input id="${operationId}-filters" data-in="filters" placeholder="created_at[gte]=2026-01-01&amp;id[ne]=1" autocomplete="off" spellcheck="false">`
}

/** Returns a list that explains each operator once. */
function legend(filters: Parameter[]): string {
  const meanings = new Map(
    filters.map(({ name, description, 'x-filter': filter }) => [
      name.slice(filter!.field.length) || '=',
      description.split('. ', 1)[0]!.replace(/\.?$/, '.'),
    ]),
  )
  const entries = [...meanings].map(([operator, meaning]) => html`<dt><code>${operator}</code></dt><dd>${meaning}</dd>`)
  return html`<p>Filters can be combined; a record must match them all.</p><dl>!${entries.join('')}</dl>`
}
