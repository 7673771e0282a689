// Shows a list's filters, grouped by field because there are too many to show one by one.

import { html } from 'ghtml'
import type { OpenApiOperation, Parameter } from '../openapi/types.ts'
import { typeOf } from './schema.ts'
import { scrollableTable, spans } from './text.ts'

/** Returns a legend of the operators, and a table with one row per field. With one row per parameter, the table could
 *  have a hundred rows. */
export function filterTable(filters: Parameter[], { operationId }: OpenApiOperation): string {
  if (filters.length === 0) return ''
  const byField = Object.groupBy(filters, (filter) => filter['x-filter']!.field)
  const rows = Object.entries(byField).map(([field, fieldFilters = []]) => {
    const operators = fieldFilters.map((filter) => {
      const meaning = isSpecial(filter) ? ` ${filter.description}` : ''
      return html`<code>${operatorOf(filter)}</code>!${spans(meaning)}`
    })
    const { schema } = fieldFilters.find(({ schema }) => schema.type !== 'array') ?? fieldFilters[0]!
    return html`<tr><th scope="row"><code>${field}</code></th><td>!${typeOf(schema)}</td><td>!${operators.join(' ')}</td></tr>`
  })
  return legend(filters) + scrollableTable(`Filters of ${operationId}`, ['Filter', 'Kind', 'Ways to compare'], rows)
}

/** Returns a single input for all filters, which the user enters as a query string. */
export function filterField({ operationId }: OpenApiOperation): string {
  return html`<label for="${operationId}-filters">Filters</label><input id="${operationId}-filters" data-in="filters" placeholder="created_at[gte]=2026-01-01&amp;id[ne]=1" autocomplete="off" spellcheck="false">`
}

/** Returns a list that explains each operator once, as for most fields. */
function legend(filters: Parameter[]): string {
  const meanings = new Map<string, string>()
  for (const filter of filters) {
    const operator = operatorOf(filter)
    if (!isSpecial(filter) && !meanings.has(operator)) meanings.set(operator, firstSentence(filter))
  }
  const entries = [...meanings].map(
    ([operator, meaning]) => html`<dt><code>${operator}</code></dt><dd>!${spans(meaning)}</dd>`,
  )
  return html`<p>Filters can be combined; a record must match them all.</p><dl>!${entries.join('')}</dl>`
}

function operatorOf({ name, 'x-filter': filter }: Parameter): string {
  return name.slice(filter!.field.length) || '='
}

/** Whether the filter's meaning differs from that of its operator. */
function isSpecial({ 'x-filter': filter }: Parameter): boolean {
  return filter!.isSpecial === true
}

function firstSentence({ description }: Parameter): string {
  return description.split('. ', 1)[0]!.replace(/\.?$/, '.')
}
