// Renders an operation in the reference: parameters, filters, responses, examples, and a form for trying it out.

import { html } from 'ghtml'
import type {
  Document,
  Example,
  ExampleRequest,
  Examples,
  OpenApiOperation,
  Parameter,
  Response,
} from '../openapi/types.ts'
import { type LocatedOperation, resolve, typeOf } from './schema.ts'
import { codeSpan, paragraphs, scrollableTable, spans } from './text.ts'

export function operationArticle(located: LocatedOperation, document: Document): string {
  const { method, path, operation } = located
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(parameter, document.components.parameters))
  const responses = Object.entries(operation.responses).map(
    ([status, response]) => [status, resolve(response, document.components.responses)] as const,
  )
  return html`<article id="${operation.operationId}">
<h3><a href="#${operation.operationId}"><b data-method="${method}">${method}</b> <code>${path}</code></a> ${operation.summary}</h3>
<div class="told">
!${paragraphs(operation.description)}
!${parameterTable(
    parameters.filter((parameter) => !parameter['x-filter']),
    operation,
  )}
!${filterTable(
    parameters.filter((parameter) => parameter['x-filter']),
    operation,
  )}
!${responseTable(responses, operation)}
</div>
<div class="shown">
!${examples(located, responses)}
!${tryForm(located, parameters)}
</div>
</article>
`
}

function parameterTable(parameters: Parameter[], { operationId }: OpenApiOperation): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(
    ({ name, in: place, required, schema, description }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${place}${required ? ', required' : ''}</td><td>!${typeOf(schema)}</td><td>!${spans(description)}</td></tr>`,
  )
  return scrollableTable(`Parameters of ${operationId}`, ['Parameter', 'In', 'Kind', 'Meaning'], rows)
}

function responseTable(responses: (readonly [string, Response])[], { operationId }: OpenApiOperation): string {
  const rows = responses.map(([status, response]) => {
    const codes = response['x-error-codes']?.map(codeSpan).join(' ')
    return html`<tr><th scope="row"><b data-status="${status[0]}">${status}</b></th><td>!${codes ?? spans(response.description)}</td></tr>`
  })
  return scrollableTable(`Responses of ${operationId}`, ['Status', 'Response'], rows)
}

/** The first example is expanded; the others are collapsed. */
function examples({ method, address }: LocatedOperation, responses: (readonly [string, Response])[]): string {
  const answers = responses.flatMap(([status, { content }]) => {
    const bodies = Object.values<{ examples?: Examples }>(content ?? {})
    const namedExamples = bodies.flatMap(({ examples }) => Object.entries(examples ?? {}))
    return namedExamples.map(([name, example]) => ({ status, name, example }))
  })
  return answers
    .filter(({ example }) => example['x-request'])
    .map(({ status, name, example }, index) => {
      const request = requestText(method, address, example['x-request']!)
      return html`<details !${index === 0 ? 'open' : ''}><summary><b data-status="${status[0]}">${status}</b> ${name}</summary>
<pre class="request" tabindex="0">${request}</pre>
<pre tabindex="0">${typeof example.value === 'string' ? example.value : JSON.stringify(example.value, null, 2)}</pre>
</details>`
    })
    .join('\n')
}

function requestText(method: string, address: string, { query, headers = {}, body, text }: ExampleRequest): string {
  const requestBody = text ?? (body === undefined ? '' : JSON.stringify(body, null, 2))
  const lines = Object.entries(headers).map(([name, value]) => `\n${name}: ${value}`)
  return `${method} /${address}${query ? `?${query}` : ''}${lines.join('')}${requestBody && `\n\n${requestBody}`}`
}

function tryForm({ method, address, operation }: LocatedOperation, parameters: Parameter[]): string {
  const plainParameters = parameters.filter((parameter) => !parameter['x-filter'])
  const fields = plainParameters.map(({ name, in: place, required }) => {
    const id = `${operation.operationId}-${name}`
    return html`<div><label for="${id}">${name}</label><input id="${id}" name="${name}" data-in="${place}" !${required ? 'required' : ''} autocomplete="off" spellcheck="false"></div>`
  })
  return html`<form class="try panel" data-send="${method}" data-address="${address}" hidden>
<h4>Try it</h4>
<div class="fields">!${fields.join('')}</div>
!${plainParameters.length < parameters.length ? filterField(operation) : ''}
!${operation.requestBody ? bodyField(operation) : ''}
<button>Send ${method}</button>
<output aria-live="polite"></output>
</form>`
}

function bodyField({ operationId, requestBody }: OpenApiOperation): string {
  const content = requestBody!.content
  const [example] =
    'application/json' in content ? Object.values<Example>(content['application/json'].examples ?? {}) : []
  const text = JSON.stringify(example?.value ?? {}, null, 2)
  return html`<label for="${operationId}-body">Body</label>
<textarea id="${operationId}-body" rows="${text.split('\n').length}" spellcheck="false">${text}</textarea>`
}

/** Returns a legend of the operators, and a table with one row per field. With one row per parameter, the table could
 *  have a hundred rows. */
function filterTable(filters: Parameter[], { operationId }: OpenApiOperation): string {
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
function filterField({ operationId }: OpenApiOperation): string {
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
