// The subset of OpenAPI 3.1 that the document uses.

/** JSON Schema 2020-12, with the types of the keywords that are read here. */
export type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly [keyword: string]: unknown
}

export type Reference = { $ref: string }

/** `x-request`: the request that produces this response, provided that the other examples' requests have been sent
 *  first. */
export type Example = { summary?: string; value: unknown; 'x-request'?: ExampleRequest }

/** `text`: a body that is not JSON. */
export type ExampleRequest = { query?: string; headers?: Record<string, string>; body?: unknown; text?: string }

/** A request and its response. `name`: for an error, its code; a distinct name if several examples have the same code.
 *  `type`: the media type of the answer if it is text and not JSON. */
export type Exchange = { name: string; request: ExampleRequest; status: number; answer: unknown; type?: TextType }

/** The media types of exports. */
export type TextType = 'text/csv' | 'application/x-ndjson'

export type Examples = Record<string, Example>

export type Content =
  | ({ 'application/json': { schema: Schema; examples?: Examples } } & {
      [Type in TextType]?: { schema: Schema; examples?: Examples }
    })
  | { 'text/plain': { schema: Schema; examples?: Examples } }
  | { 'text/csv': { schema: Schema; examples?: Examples } }

export type Header = { description: string; required?: boolean; schema: Schema }

/** `x-filter`: the field that the parameter filters by, its operators, and whether its description says more than what
 *  the operator means. `x-include-scopes`: for each value of `include`, all scopes that the key needs. */
export type Parameter = {
  name: string
  in: 'query' | 'header'
  style?: 'form' | 'deepObject'
  explode?: boolean
  required?: boolean
  description: string
  schema: Schema
  example?: unknown
  examples?: Examples
  'x-filter'?: { field: string; operators: readonly string[]; isSpecial?: true }
  'x-include-scopes'?: Record<string, string[]>
}

/** A follow-up operation, and the values of this response that become its parameters. */
export type Link = { operationId: string; parameters: Record<string, string>; description: string }

/** `x-error-codes`: the possible error codes of this status. */
export type Response = {
  description: string
  headers?: Record<string, Header | Reference> | undefined
  content?: Content
  links?: Record<string, Link>
  'x-error-codes'?: string[]
}

export type Responses = Record<string, Response | Reference>

/** `x-required-scopes`: the key needs at least one of these. `x-parameter-scopes`: for each of these query parameters,
 *  the key also needs at least one of the listed scopes. `x-actions`: the actions of this path and method, by name; the
 *  scopes are then those of a request without an action. */
export type OpenApiOperation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security?: []
  'x-required-scopes'?: string[]
  'x-parameter-scopes'?: Record<string, string[]>
  'x-actions'?: Record<string, ActionOperation>
  parameters?: (Parameter | Reference)[] | undefined
  requestBody?: { required: boolean; description: string; content: Content }
  responses: Responses
}

/** An action. It has the errors of its operation. */
export type ActionOperation = Omit<OpenApiOperation, 'description' | 'tags' | 'x-actions'>

export type Method = 'get' | 'post' | 'put' | 'delete'

/** HEAD is supported wherever GET is, and not listed, so that generated clients do not have every function twice. */
export type PathItem = { [M in Method]?: OpenApiOperation }

/** A group of operations. */
export type Tag = { name: string; description: string }

export type Document = {
  openapi: '3.1.1'
  info: {
    title: string
    version: string
    summary: string
    description: string
    contact: { name: string }
    license: { name: string; identifier: string }
  }
  servers: { url: string; description: string }[]
  tags: Tag[]
  security: Record<string, []>[]
  paths: Record<string, PathItem>
  /** The responses to requests that match no operation. */
  'x-unlisted': Responses
  components: {
    securitySchemes: Record<string, Schema>
    schemas: Record<string, Schema>
    parameters: Record<string, Parameter>
    headers: Record<string, Header>
    responses: Record<string, Response>
  }
}

export function ref(kind: keyof Document['components'], name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` }
}
