// Paths that do not require an API key: the list of endpoints, the OpenAPI document, and the health and metrics
// endpoints outside the API.

import type { Description } from './description.ts'
import { listHeaders } from './headers.ts'
import { withoutBodies } from './operation.ts'
import { refusal } from './refusals.ts'
import { object } from './schemas/schemas.ts'
import {
  type Content,
  type Operation,
  type PathItem,
  type Response,
  type Responses,
  ref,
  type Schema,
} from './types.ts'

/** The health and metrics endpoints are at the server's root, not below the API's base path. */
const atRoot = [{ url: '/' }]

/** The schema for the components that a node reports on. */
const components: Schema = {
  type: 'array',
  items: object(
    { component: { type: 'string' }, status: { enum: ['ok', 'warning', 'error'] } },
    { message: { type: 'string', description: 'What is wrong; absent if nothing is wrong.' } },
  ),
  description:
    'The state of each component. The node is not ready if any component has an `error`. A node with warnings is still ready.',
}

export function openPaths({ hasList, endpoints }: Description): Record<string, PathItem> {
  const unavailable = refusal(['service_unavailable'], { errorMembers: { service_unavailable: { components } } })
  const notFound = refusal(['not_found'])
  const document = { ...json('This document.', { type: 'object' }), headers: listHeaders('ETag') }
  const unchanged = { description: 'Not modified: the caller has the current version.', headers: listHeaders('ETag') }
  const list = { ...json('The list of endpoints.', listSchema(endpoints)), headers: listHeaders('ETag') }
  return {
    ...(hasList && { '/': readablePath('read_endpoints', 'List the endpoints', { 200: list, 304: unchanged }) }),
    '/openapi.json': {
      ...readablePath('read_document', 'Read this document', { 200: document, 304: unchanged }),
    },
    '/healthz': {
      servers: atRoot,
      ...readablePath('read_health', 'Check that the process is running', {
        200: json('The process is running.', status('ok')),
      }),
    },
    '/readyz': {
      servers: atRoot,
      ...readablePath('read_readiness', 'Check that the service can handle requests', {
        200: json('The service is ready.', object({ status: { const: 'ready' }, components })),
        503: unavailable,
      }),
    },
    '/metrics': {
      servers: atRoot,
      ...readablePath('read_metrics', 'Read Prometheus metrics, with METRICS_TOKEN or from this machine', {
        200: respond('The metrics.', { 'text/plain': { schema: { type: 'string' } } }),
        404: notFound,
      }),
    },
  }
}

function listSchema(endpoints: Description['endpoints']): Schema {
  const url = { type: 'string', format: 'uri-reference' }
  const methods = { type: 'array', items: { enum: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] }, uniqueItems: true }
  const count = new Set(endpoints.map(({ path }) => path)).size
  const items = object({ url: { ...url, description: 'The URL.' }, methods })
  return object({
    reference: { ...url, description: 'The API reference, as a web page.' },
    openapi: { ...url, description: 'This document.' },
    endpoints: { type: 'array', minItems: count, maxItems: count, items, description: 'Every path with its methods.' },
  })
}

/** Returns a path that supports GET and HEAD. */
function readablePath(operationId: string, summary: string, responses: Responses): PathItem {
  const get = operation(operationId, summary, responses)
  return { get, head: withoutBodies(get) }
}

function operation(operationId: string, summary: string, responses: Responses): Operation {
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

function status(word: string): Schema {
  return object({ status: { const: word } })
}

function json(description: string, schema: Schema): Response {
  return respond(description, { 'application/json': { schema } })
}

function respond(description: string, content: Content): Response {
  return { description, headers: listHeaders(), content }
}
