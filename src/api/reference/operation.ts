// One operation: parameters, responses, examples, and a form to try it.

import { html } from 'ghtml'
import type {
  Document,
  Example,
  ExampleRequest,
  Examples,
  Operation,
  Parameter,
  Reference,
  Response,
} from '../openapi/types.ts'
import { filterField, filterTable } from './filters.ts'
import { typeOf } from './schema.ts'
import { codeSpan, paragraphs, spans, table } from './text.ts'
import type { Placed } from './types.ts'

export function operationArticle(placed: Placed, document: Document): string {
  const { method, path, operation } = placed
  const parameters = (operation.parameters ?? []).map((each) => resolve<Parameter>(each, document))
  const responses = Object.entries(operation.responses).map(
    ([status, each]) => [status, resolve<Response>(each, document)] as const,
  )
  return html`<article id="${operation.operationId}">
<h3><a href="#${operation.operationId}"><b data-method="${method}">${method}</b> <code>${path}</code></a> ${operation.summary}</h3>
<div class="told">
!${paragraphs(operation.description)}
!${parameterTable(
    parameters.filter((each) => !each['x-filter']),
    operation,
  )}
!${filterTable(
    parameters.filter((each) => each['x-filter']),
    operation,
  )}
!${responseTable(responses, operation)}
</div>
<div class="shown">
!${examples(placed, responses)}
!${tryForm(placed, parameters)}
</div>
</article>
`
}

/** Returns the component that a reference points to, or the value itself if it is not a reference. */
function resolve<T>(each: T | Reference, { components }: Document): T {
  if (!(each instanceof Object && '$ref' in each)) return each as T
  const [, , kind, name] = each.$ref.split('/') as [string, string, keyof Document['components'], string]
  return components[kind][name] as T
}

function parameterTable(parameters: Parameter[], { operationId }: Operation): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(
    ({ name, in: place, required, schema, description }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${place}${required ? ', required' : ''}</td><td>!${typeOf(schema)}</td><td>!${spans(description)}</td></tr>`,
  )
  return table(`Parameters of ${operationId}`, ['Parameter', 'In', 'Kind', 'Meaning'], rows)
}

function responseTable(responses: (readonly [string, Response])[], { operationId }: Operation): string {
  const rows = responses.map(([status, response]) => {
    const codes = response['x-error-codes']?.map(codeSpan).join(' ')
    return html`<tr><th scope="row"><b data-status="${status[0]}">${status}</b></th><td>!${codes ?? spans(response.description)}</td></tr>`
  })
  return table(`Responses of ${operationId}`, ['Status', 'Answer'], rows)
}

/** The first example is expanded, the others are collapsed. */
function examples({ method, address }: Placed, responses: (readonly [string, Response])[]): string {
  const all = responses.flatMap(([status, { content }]) => {
    const bodies = Object.values<{ examples?: Examples }>(content ?? {})
    const listed = bodies.flatMap((each) => Object.entries(each.examples ?? {}))
    return listed.map(([name, example]) => ({ status, name, example }))
  })
  return all
    .filter(({ example }) => example['x-request'])
    .map(({ status, name, example }, at) => {
      const request = requestText(method, address, example['x-request']!)
      return html`<details !${at === 0 ? 'open' : ''}><summary><b data-status="${status[0]}">${status}</b> ${name}</summary>
<pre class="request" tabindex="0">${request}</pre>
<pre tabindex="0">${typeof example.value === 'string' ? example.value : JSON.stringify(example.value, null, 2)}</pre>
</details>`
    })
    .join('\n')
}

function requestText(method: string, address: string, { query, headers = {}, body, text }: ExampleRequest): string {
  const sent = text ?? (body === undefined ? '' : JSON.stringify(body, null, 2))
  const lines = Object.entries(headers).map(([name, value]) => `\n${name}: ${value}`)
  return `${method} /${address}${query ? `?${query}` : ''}${lines.join('')}${sent && `\n\n${sent}`}`
}

function tryForm({ method, address, operation }: Placed, parameters: Parameter[]): string {
  const plain = parameters.filter((each) => !each['x-filter'])
  const fields = plain.map(({ name, in: place, required }) => {
    const id = `${operation.operationId}-${name}`
    return html`<div><label for="${id}">${name}</label><input id="${id}" name="${name}" data-in="${place}" !${required ? 'required' : ''} autocomplete="off" spellcheck="false"></div>`
  })
  return html`<form class="try panel" data-send="${method}" data-address="${address}" hidden>
<h4>Try it</h4>
<div class="fields">!${fields.join('')}</div>
!${plain.length < parameters.length ? filterField(operation) : ''}
!${operation.requestBody ? bodyField(operation) : ''}
<button>Send ${method}</button>
<output aria-live="polite"></output>
</form>`
}

function bodyField({ operationId, requestBody }: Operation): string {
  const content = requestBody!.content
  const [example] =
    'application/json' in content ? Object.values<Example>(content['application/json'].examples ?? {}) : []
  const text = JSON.stringify(example?.value ?? {}, null, 2)
  return html`<label for="${operationId}-body">Body</label>
<textarea id="${operationId}-body" rows="${text.split('\n').length}" spellcheck="false">${text}</textarea>`
}
