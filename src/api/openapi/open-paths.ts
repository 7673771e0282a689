// Paths that do not require an API key: the list of endpoints and the OpenAPI document. The health and metrics endpoints
// are for the operator (docs/guide/monitor.md), and outside the API.

import type { Description } from './description.ts'
import { listHeaders } from './headers.ts'
import { object } from './schemas/kinds.ts'
import {
  type Content,
  type OpenApiOperation,
  type PathItem,
  type Response,
  type Responses,
  ref,
  type Schema,
} from './types.ts'

export function openPaths({ hasList }: Description): Record<string, PathItem> {
  const document = { ...json('This document.', { type: 'object' }), headers: listHeaders('ETag') }
  const unchanged = { description: 'Not modified: the caller has the current version.', headers: listHeaders('ETag') }
  const list = { ...json('The list of endpoints.', listSchema()), headers: listHeaders('ETag') }
  return {
    ...(hasList && { '/': readablePath('read_endpoints', 'List the endpoints', { 200: list, 304: unchanged }) }),
    '/openapi.json': readablePath('read_document', 'Read this document', { 200: document, 304: unchanged }),
  }
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

function readablePath(operationId: string, summary: string, responses: Responses): PathItem {
  return { get: operation(operationId, summary, responses) }
}

function operation(operationId: string, summary: string, responses: Responses): OpenApiOperation {
  const sharedErrors = { 431: ref('responses', 'HeadersTooLarge'), 500: ref('responses', 'InternalError') }
  return {
    operationId,
    summary,
    description: `${summary}. No API key is required.`,
    tags: ['service'],
    security: [],
    responses: { ...responses, ...sharedErrors },
  }
}

function json(description: string, schema: Schema): Response {
  return respond(description, { 'application/json': { schema } })
}

function respond(description: string, content: Content): Response {
  return { description, headers: listHeaders(), content }
}
