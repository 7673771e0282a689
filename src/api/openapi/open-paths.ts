// Paths that do not require an API key: the list of endpoints and the OpenAPI document. The health and metrics
// endpoints are for the operator (docs/guide/monitor.md), and outside the API.

import type { Description } from './description.ts'
import { listHeaders } from './headers.ts'
import { object } from './schemas/kinds.ts'
import { type PathItem, ref, type Schema } from './types.ts'

export function openPaths({ hasList }: Description): Record<string, PathItem> {
  const list = openPath('read_endpoints', 'List the endpoints', 'The list of endpoints.', listSchema())
  const document = openPath('read_document', 'Read this document', 'This document.', { type: 'object' })
  return { ...(hasList && { '/': list }), '/openapi.json': document }
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
