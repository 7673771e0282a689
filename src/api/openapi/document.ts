// Generates the API's OpenAPI 3.1 document from the endpoint declarations (§9).

import type { Description } from './description.ts'
import { guide } from './guide.ts'
import { requestHeaders, responseHeaders } from './headers.ts'
import { openPaths } from './open-paths.ts'
import { operationsOf } from './operation.ts'
import { sharedResponses, unlistedResponses } from './refusals.ts'
import { sharedSchemas } from './schemas/schemas.ts'
import type { Document, PathItem, Tag } from './types.ts'

export function describe(description: Description): Document {
  const endpoints = description.endpoints.map((endpoint) => ({ endpoint, docs: endpoint.docs() }))
  const paths: Record<string, PathItem> = {}
  for (const { endpoint, docs } of endpoints)
    paths[endpoint.path] = { ...paths[endpoint.path], ...operationsOf(endpoint, docs, description) }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tenantdesk REST API',
      version: '1',
      summary: 'Customers, their employees, and the hardware each employee holds.',
      description: guide(description),
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: description.server, description: 'This service' }],
    tags: [...uniqueTags(endpoints.map(({ docs }) => docs.tag)), serviceTag],
    security: [{ apiKey: [] }],
    paths: { ...paths, ...openPaths(description) },
    'x-unlisted': unlistedResponses(description),
    components: {
      securitySchemes: { apiKey },
      schemas: { ...merge(endpoints.map(({ docs }) => docs.components?.schemas)), ...sharedSchemas },
      parameters: { ...requestHeaders, ...merge(endpoints.map(({ docs }) => docs.components?.parameters)) },
      headers: responseHeaders,
      responses: sharedResponses(),
    },
  }
}

const apiKey = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'tdk_ and at least 36 more characters',
  description:
    'An API key with the required scopes, created on the page /api_keys.php or by `tenantdesk key create`. ' +
    '`changes:read` reads the history of every resource, but not the private views of others. The answer to a write, also replayed, ' +
    'shows the written record to a key that may make that write.',
}

const serviceTag: Tag = { name: 'service', description: 'The service itself. No API key is required.' }

function uniqueTags(tags: Tag[]): Tag[] {
  return [...new Map(tags.map((tag) => [tag.name, tag])).values()]
}

function merge<Item>(parts: (Record<string, Item> | undefined)[]): Record<string, Item> {
  return Object.assign({}, ...parts)
}
