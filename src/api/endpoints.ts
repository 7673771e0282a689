// The endpoints of the API: each path, its methods, and what they do to which resource (§4).

import { type Action, historyName } from '../access/scopes.ts'
import type { Resource, Resources } from '../resources/resource.ts'

/** What each method of a resource's endpoint does; a key needs the scope for it. */
const methods = {
  GET: 'read',
  HEAD: 'read',
  POST: 'create',
  PUT: 'update',
  DELETE: 'delete',
} as const satisfies Record<string, Action>

/** The history can be read, and nothing else. */
const readingMethods = { GET: 'read', HEAD: 'read' } as const satisfies Record<string, Action>

export type Method = keyof typeof methods

/** `name` is the word in scopes. The history is of every resource. */
export type ResourceEndpoint = Described & { resource: Resource }
export type HistoryEndpoint = Described & { resource: null }
export type Endpoint = ResourceEndpoint | HistoryEndpoint
type Described = { path: string; name: string; methods: Readonly<Partial<Record<Method, Action>>> }

/** One endpoint per resource and that of the history, by path relative to the base. */
export function endpointsOf(resources: Resources): Map<string, Endpoint> {
  const all: Endpoint[] = [
    ...resources.map((resource) => ({ path: `/${resource.name}.php`, name: resource.name, methods, resource })),
    { path: `/${historyName}.php`, name: historyName, methods: readingMethods, resource: null },
  ]
  return new Map(all.map((endpoint) => [endpoint.path, endpoint]))
}

/** What a method does at an endpoint; undefined where it is not supported. */
export function actionOf(endpoint: Endpoint, method: string): Action | undefined {
  return Object.hasOwn(endpoint.methods, method) ? endpoint.methods[method as Method] : undefined
}

/** The value of the `Allow` header (§4.3). */
export function allowed(endpoint: Endpoint): string {
  return Object.keys(endpoint.methods).join(', ')
}
