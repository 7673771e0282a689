// Renders the table of a resource's fields, and the types of its parameters and fields.

import { html } from 'ghtml'
import type { Content, Document, OpenApiOperation, Reference, Schema } from '../openapi/types.ts'
import { scrollableTable, spans } from './text.ts'

/** An operation and its URL relative to the page. */
export type LocatedOperation = { path: string; method: string; address: string; operation: OpenApiOperation }

/** Returns a table of the fields in the records that these operations create, including read-only fields; empty if
 *  no operation creates records. */
export function fieldsTable(operations: LocatedOperation[], document: Document): string {
  const create = operations.find(({ operation }) => operation.requestBody && operation.responses[201])
  if (!create) return ''
  const { schemas, responses } = document.components
  const { content } = resolve(create.operation.responses[201]!, responses)
  const record = resolve(jsonSchemaOf(content), schemas)
  const inputSchema = resolve(jsonSchemaOf(create.operation.requestBody?.content), schemas)
  const { properties: writable = {}, required = [] } = inputSchema
  const rows = Object.entries(record.properties ?? {}).map(([name, schema]) => {
    const input = writable[name]
    const note = !input ? 'read-only' : required.includes(name) ? 'required' : defaultOf(input)
    return html`<tr><th scope="row"><code>${name}</code></th><td>!${typeOf(schema)}</td><td>!${note}</td><td>!${spans(String(schema.description ?? ''))}</td></tr>`
  })
  return scrollableTable(`Fields of ${create.path}`, ['Field', 'Kind', 'When created', 'Meaning'], rows)
}

/** If there are more choices than this, the type column does not list them. */
const maxListedChoices = 16

/** Returns a field's type with its limits, such as `text, at most 100`. */
export function typeOf(schema: Schema): string {
  if (schema.type === 'array') return html`list of !${typeOf(schema.items ?? {})}`
  const type = [schema.type].flat().find((name) => name !== 'null')
  const choices = schema.enum?.filter((choice) => choice !== null)
  if (choices && choices.length <= maxListedChoices)
    return choices.map((choice) => html`<code>${choice}</code>`).join(' ')
  if (type === 'string') return html`${formats[String(schema.format)] ?? 'text'}${lengths(schema)}`
  return html`${type}${bounds(schema)}`
}

const formats: Record<string, string> = {
  email: 'email address',
  date: 'date, YYYY-MM-DD',
  'date-time': 'time, UTC',
  uuid: 'UUID',
}

function lengths({ minLength, maxLength }: Schema): string {
  if (maxLength === undefined) return ''
  return minLength === undefined ? `, at most ${maxLength}` : `, ${minLength}–${maxLength}`
}

function bounds({ minimum, maximum }: Schema): string {
  const lower = Number(minimum) > Number.MIN_SAFE_INTEGER ? ` from ${minimum}` : ''
  const upper = Number(maximum) < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : ''
  return lower + upper
}

function defaultOf({ 'x-default': fallback }: Schema): string {
  return fallback === undefined ? 'optional' : html`default <code>${fallback}</code>`
}

function jsonSchemaOf(content: Content | undefined): Schema {
  return content && 'application/json' in content ? content['application/json'].schema : {}
}

/** Returns the component that a reference points to, or the value itself if it is not a reference. */
export function resolve<T extends object>(value: T | Reference, components: Record<string, T>): T {
  if (!isReference(value)) return value
  const component = components[value.$ref.slice(value.$ref.lastIndexOf('/') + 1)]
  if (!component) throw new Error(`the document has no ${value.$ref}`)
  return component
}

function isReference(value: object): value is Reference {
  return '$ref' in value
}
