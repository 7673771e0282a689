// The endpoints of the API: each path, its methods, and what they do to which resource (§4).

import type { Resource, Resources } from '../resources/resource.ts'
import type { Action } from '../tenancy/scopes.ts'

/** What each method of a resource's endpoint does; a key needs the scope for it. */
const methods = {
  GET: 'read',
  HEAD: 'read',
  POST: 'create',
  PUT: 'update',
  DELETE: 'delete',
} as const satisfies Record<string, Action>

export type Method = keyof typeof methods
export type Endpoint = { path: string; resource: Resource; methods: Readonly<Record<Method, Action>> }

/** One endpoint per resource, by path relative to the base. */
export function endpointsOf(resources: Resources): Map<string, Endpoint> {
  return new Map(
    resources.map((resource) => {
      const path = `/${resource.name}.php`
      return [path, { path, resource, methods }]
    }),
  )
}

export function isMethodOf(endpoint: Endpoint, method: string): method is Method {
  return Object.hasOwn(endpoint.methods, method)
}

/** The value of the `Allow` header (§4.3). */
export function allowed(endpoint: Endpoint): string {
  return Object.keys(endpoint.methods).join(', ')
}
