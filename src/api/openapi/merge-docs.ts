// Merges the documentation of the endpoints that share a path and a method.

import { actionOf, type Endpoint, type EndpointDocs, type RequestBody, type SuccessResponse } from '../endpoint.ts'
import type { Parameter, Reference, Schema } from './types.ts'

export type DocumentedEndpoint = { endpoint: Endpoint; docs: EndpointDocs }

/** The endpoints with the same path and method: the one without an action, if there is one, and then the actions. */
export type DocumentedEndpoints = readonly [DocumentedEndpoint, ...DocumentedEndpoint[]]

/** Texts, the tag and the name are those of the first endpoint. */
export function mergeDocs(endpoints: DocumentedEndpoints): EndpointDocs {
  const docs = endpoints.map((each) => each.docs)
  const [{ docs: first }, ...others] = endpoints
  if (others.length === 0 && actionOf(endpoints[0].endpoint) === undefined) return first
  const body = mergeBodies(docs.map((each) => each.body))
  return {
    ...first,
    parameters: [...actionParameter(endpoints), ...mergeParameters(docs.map(({ parameters = [] }) => parameters))],
    ...(body && { body }),
    responses: mergeResponses(docs.flatMap(({ responses }) => Object.entries(responses))),
    errors: [...new Set(docs.flatMap(({ errors }) => errors))],
    errorMembers: Object.assign({}, ...docs.map(({ errorMembers }) => errorMembers)),
    exchanges: docs.flatMap(({ exchanges }) => exchanges),
  }
}

function actionParameter(endpoints: DocumentedEndpoints): Parameter[] {
  const words = endpoints.flatMap(({ endpoint }) =>
    'operation' in endpoint && endpoint.action !== undefined && !endpoint.chosenBy ? endpoint.action : [],
  )
  if (words.length === 0) return []
  const isRequired = actionOf(endpoints[0].endpoint) !== undefined
  const description = isRequired
    ? 'Which action to run.'
    : 'Which action to run. A request without `action` does what the description above says.'
  return [
    {
      name: 'action',
      in: 'query',
      ...(isRequired && { required: true }),
      description,
      schema: { type: 'string', enum: words },
    },
  ]
}

/** A parameter is required if each endpoint requires it. */
function mergeParameters(lists: readonly (readonly (Parameter | Reference)[])[]): (Parameter | Reference)[] {
  const nameOf = (parameter: Parameter | Reference) => ('name' in parameter ? parameter.name : parameter.$ref)
  const byName = Map.groupBy(lists.flat(), nameOf)
  return [...byName.values()].flatMap(([parameter, ...others]) => {
    if (!parameter || !('name' in parameter)) return parameter ?? []
    const { required, ...optional } = parameter
    const isRequired = [parameter, ...others].filter((each) => 'name' in each && each.required).length === lists.length
    return { ...optional, ...(isRequired && { required: true }) }
  })
}

function mergeBodies(bodies: readonly (RequestBody | undefined)[]): RequestBody | undefined {
  const [first, ...others] = bodies.filter((body) => body !== undefined)
  if (!first) return undefined
  return {
    ...first,
    schema: anyOf([first, ...others].map(({ schema }) => schema)),
    examples: Object.assign({}, ...[first, ...others].map(({ examples }) => examples)),
    isOptional: bodies.includes(undefined),
  }
}

function mergeResponses(entries: readonly [status: string, response: SuccessResponse][]): EndpointDocs['responses'] {
  const byStatus = Map.groupBy(entries, ([status]) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [status, mergeSuccesses(same.map(([, response]) => response))]),
  )
}

function mergeSuccesses(responses: readonly SuccessResponse[]): SuccessResponse {
  const schemas = responses.map(({ schema }) => schema).filter((schema) => schema !== undefined)
  return {
    ...Object.assign({}, ...responses),
    description: [...new Set(responses.map(({ description }) => description))].join(' '),
    ...(schemas.length > 0 && { schema: anyOf(schemas) }),
    headers: [...new Set(responses.flatMap(({ headers = [] }) => headers))],
  }
}

/** Returns the schema of what matches any of these schemas. */
function anyOf(schemas: readonly Schema[]): Schema {
  const different = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]))
  const [first = {}, ...others] = [...different.values()]
  return others.length === 0 ? first : { anyOf: [first, ...others] }
}
