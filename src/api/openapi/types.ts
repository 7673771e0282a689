// The parts of OpenAPI 3.1 that the document is made of.

/** JSON Schema 2020-12. */
export type Schema = { readonly [keyword: string]: unknown }

export type Reference = { $ref: string }

/** `x-request`: a request of the operation that this response answers, where the records of the other examples are there.
 *  `text` is a body that is no JSON. */
export type Example = { summary?: string; value: unknown; 'x-request'?: ExampleRequest }

export type ExampleRequest = { query?: string; headers?: Record<string, string>; body?: unknown; text?: string }

export type Examples = Record<string, Example>

export type Content =
  | { 'application/json': { schema: Schema; examples?: Examples } }
  | { 'text/plain': { schema: Schema } }

export type Header = { description: string; required?: boolean; schema: Schema }

/** `x-filter`: the field that a list is filtered by, and all ways to do so. `x-include-scopes`: a key needs all that a word
 *  names. */
export type Parameter = {
  name: string
  in: 'query' | 'header'
  style?: 'form'
  explode?: false
  required?: boolean
  description: string
  schema: Schema
  examples?: Examples
  'x-filter'?: { field: string; operators: readonly string[] }
  'x-include-scopes'?: Record<string, string[]>
}

/** What can be asked next, with what of this response. */
export type Link = { operationId: string; parameters: Record<string, string>; description: string }

/** `x-error-codes`: the codes that a refusal of this status can have. */
export type Response = {
  description: string
  headers?: Record<string, Header | Reference>
  content?: Content
  links?: Record<string, Link>
  'x-error-codes'?: string[]
}

export type Responses = Record<string, Response | Reference>

/** `x-required-scopes`: a key needs one of them. */
export type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security?: []
  'x-required-scopes'?: string[]
  parameters?: (Parameter | Reference)[]
  requestBody?: { required: true; description: string; content: Content }
  responses: Responses
}

export type Method = 'get' | 'head' | 'post' | 'put' | 'delete'

export type PathItem = { servers?: { url: string }[] } & { [M in Method]?: Operation }

export type Document = {
  openapi: '3.1.1'
  info: {
    title: string
    version: string
    summary: string
    description: string
    license: { name: string; identifier: string }
  }
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  security: Record<string, []>[]
  paths: Record<string, PathItem>
  /** What is answered where no operation applies. */
  'x-unlisted': Responses
  components: {
    securitySchemes: Record<string, Schema>
    schemas: Record<string, Schema>
    parameters: Record<string, Parameter>
    headers: Record<string, Header>
    responses: Record<string, Response>
  }
}

/** A reference to a component. */
export function ref(kind: keyof Document['components'], name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` }
}
