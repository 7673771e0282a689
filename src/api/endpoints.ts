// The endpoints of the API: each path, its resource, and the action of each method (§4).

import { type Action, historyName } from '../access/scopes.ts'
import type { Resource, Resources } from '../resources/resource.ts'

/** The action of each method at a resource's endpoint. The API key needs the scope for it. */
const methods = {
  GET: 'read',
  HEAD: 'read',
  POST: 'create',
  PUT: 'update',
  DELETE: 'delete',
} as const satisfies Record<string, Action>

/** The history is read-only. */
const readingMethods = { GET: 'read', HEAD: 'read' } as const satisfies Record<string, Action>

export type Method = keyof typeof methods

/** `name` is the resource part of a scope. The history covers all resources, so its `resource` is null. */
export type ResourceEndpoint = Described & { resource: Resource }
export type HistoryEndpoint = Described & { resource: null }
export type Endpoint = ResourceEndpoint | HistoryEndpoint
type Described = { path: string; name: string; methods: Readonly<Partial<Record<Method, Action>>> }

/** One endpoint per resource, plus the history; keyed by the path relative to the base path. */
export function endpointsOf(resources: Resources): Map<string, Endpoint> {
  const all: Endpoint[] = [
    ...resources.map((resource) => ({ path: `/${resource.name}.php`, name: resource.name, methods, resource })),
    { path: `/${historyName}.php`, name: historyName, methods: readingMethods, resource: null },
  ]
  return new Map(all.map((endpoint) => [endpoint.path, endpoint]))
}

/** The action of a method at an endpoint, or undefined if the endpoint does not support the method. */
export function actionOf(endpoint: Endpoint, method: string): Action | undefined {
  return Object.hasOwn(endpoint.methods, method) ? endpoint.methods[method as Method] : undefined
}

/** The value of the `Allow` header (§4.3). */
export function allowed(endpoint: Endpoint): string {
  return Object.keys(endpoint.methods).join(', ')
}
