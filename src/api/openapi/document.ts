// Generates the API's OpenAPI 3.1 document from the endpoint declarations (§9).

import type { Config } from '../../config.ts'
import type { Resources } from '../../domain/declarations/resource.ts'
import { type Endpoint, type EndpointDocs, routesOf } from '../endpoint.ts'
import { guide } from './guide.ts'
import { listHeaders, requestHeaders, responseHeaders } from './headers.ts'
import { describeOperation } from './operation.ts'
import { responsesWithoutOperation, sharedResponses } from './refusals.ts'
import { object } from './schemas/kinds.ts'
import { sharedSchemas } from './schemas/schemas.ts'
import { type Document, type PathItem, ref, type Schema, type Tag } from './types.ts'

/** Builds the document for a tenant with these resources. Throws if the documentation of an endpoint contradicts what
 *  the endpoint does. */
export function buildDocument(resources: Resources, endpoints: readonly Endpoint[], config: Config): Document {
  const docsByEndpoint = new Map(endpoints.map((endpoint) => [endpoint, docsOf(endpoint, resources)]))
  const docs = [...docsByEndpoint.values()]
  const withDocs = (endpoint: Endpoint) => ({ endpoint, docs: docsByEndpoint.get(endpoint)! })
  const paths = [...routesOf(endpoints)].map(([path, route]): [string, PathItem] => {
    const methods = [...route].filter(([method]) => method !== 'HEAD')
    const operations = methods.map(([method, [first, ...others]]) => [
      method.toLowerCase(),
      describeOperation([withDocs(first), ...others.map(withDocs)], config),
    ])
    return [path, Object.fromEntries(operations)]
  })
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tenantdesk REST API',
      version: '1',
      summary: 'Customers, their employees, and the hardware each employee holds.',
      description: guide(config),
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: config.PUBLIC_URL + config.API_BASE_PATH || '/', description: 'This service' }],
    tags: [...uniqueTags(docs.map(({ tag }) => tag)), serviceTag],
    security: [{ apiKey: [] }],
    paths: { ...Object.fromEntries(paths), ...openPaths(config) },
    'x-unlisted': responsesWithoutOperation(config),
    components: {
      securitySchemes: { apiKey },
      schemas: { ...merge(docs.map(({ components }) => components?.schemas)), ...sharedSchemas },
      parameters: { ...requestHeaders, ...merge(docs.map(({ components }) => components?.parameters)) },
      headers: responseHeaders,
      responses: sharedResponses(),
    },
  }
}

function docsOf(endpoint: Endpoint, resources: Resources): EndpointDocs {
  try {
    return endpoint.docs(resources)
  } catch (cause) {
    const message = `The documentation of ${endpoint.method} ${endpoint.path} in the OpenAPI document cannot be built`
    throw new Error(`${message}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

const apiKey = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'tdk_ and at least 36 more characters',
  description:
    'An API key with the required scopes, created on the page /api_keys.php or by `tenantdesk key create`. ' +
    '`changes:read` reads the history of every resource, but not the private views of others. The response to a write, even if it is ' +
    'replayed, contains the written record for every key that may make this write.',
}

const serviceTag: Tag = { name: 'service', description: 'The service itself. No API key is required.' }

function uniqueTags(tags: Tag[]): Tag[] {
  return [...new Map(tags.map((tag) => [tag.name, tag])).values()]
}

function merge<Item>(parts: (Record<string, Item> | undefined)[]): Record<string, Item> {
  return Object.assign({}, ...parts)
}

/** The paths that do not require an API key: the list of endpoints and the OpenAPI document. The health and metrics
 *  endpoints are for the operator (docs/guide/monitor.md), and outside the API. */
function openPaths({ API_BASE_PATH }: Config): Record<string, PathItem> {
  const list = openPath('read_endpoints', 'List the endpoints', 'The list of endpoints.', listSchema())
  const document = openPath('read_document', 'Read this document', 'This document.', { type: 'object' })
  return { ...(API_BASE_PATH !== '' && { '/': list }), '/openapi.json': document }
}

function openPath(operationId: string, summary: string, content: string, schema: Schema): PathItem {
  const headers = listHeaders('ETag')
  const responses = {
    200: { description: content, headers, content: { 'application/json': { schema } } },
    304: { description: 'Not modified: the caller has the current version.', headers },
    431: ref('responses', 'HeadersTooLarge'),
    500: ref('responses', 'InternalError'),
  }
  const description = `${summary}. No API key is required.`
  return { get: { operationId, summary, description, tags: ['service'], security: [], responses } }
}

function listSchema(): Schema {
  const url = { type: 'string', format: 'uri-reference' }
  const methods = { type: 'array', items: { enum: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] }, uniqueItems: true }
  const items = object({ url: { ...url, description: 'The URL.' }, methods })
  return object({
    reference: { ...url, description: 'The API reference, as a web page.' },
    openapi: { ...url, description: 'This document.' },
    endpoints: { type: 'array', items, description: 'Every path with its methods.' },
  })
}
