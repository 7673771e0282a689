// The API as an OpenAPI 3.1 document, generated from the same declarations that the service runs on (§9).

import type { Resource } from '../../resources/resource.ts'
import { endpointsOf } from '../endpoints.ts'
import { type Description, isLimited } from './description.ts'
import { guide } from './guide.ts'
import { headerComponents, requestHeaders } from './headers.ts'
import { historyPath, historySchemas, historyTag } from './history.ts'
import { listComponents } from './list-parameters.ts'
import { openPaths } from './open-paths.ts'
import { pathItem } from './operations.ts'
import { sharedResponses, unlistedResponses } from './refusals.ts'
import { resourceSchemas, sharedSchemas } from './schemas.ts'
import type { Document } from './types.ts'

export function describe(description: Description): Document {
  const { resources } = description
  const endpoints = [...endpointsOf(resources).values()]
  const paths = endpoints.map((endpoint) => [
    endpoint.path,
    endpoint.resource ? pathItem(endpoint, description) : historyPath(endpoint, description),
  ])
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tenantdesk REST API',
      version: '1',
      summary: 'Customers, their employees, and the hardware each employee holds.',
      description: guide(description),
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: description.server, description: 'This service' }],
    tags: [
      ...resources.map(tagOf),
      historyTag,
      { name: 'service', description: 'About the service itself; no key is needed.' },
    ],
    security: [{ apiKey: [] }],
    paths: { ...Object.fromEntries(paths), ...openPaths(description) },
    'x-unlisted': unlistedResponses(description),
    components: {
      securitySchemes: { apiKey },
      schemas: { ...resourceSchemas(resources), ...historySchemas(resources), ...sharedSchemas },
      parameters: { ...requestHeaders, ...listComponents(resources) },
      headers: headerComponents(isLimited(description)),
      responses: sharedResponses(description),
    },
  }
}

const apiKey = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'tdk_ and at least 36 more characters',
  description:
    'An API key, made on the page /api_keys.php or by `tenantdesk key create`, with the scopes that it needs.',
}

function tagOf({ name, about }: Resource): { name: string; description: string } {
  return { name, description: about ?? `The ${name} of the tenant.` }
}
