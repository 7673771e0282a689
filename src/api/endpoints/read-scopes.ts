// The scopes that reading records requires besides the scope of their own resource (contract §4): whatever a query
// shows, filters by or exports of other resources needs the read scope of these resources. Ids are free.

import type { ParsedUrlQuery } from 'node:querystring'
import type { Scope } from '../../access/scopes.ts'
import type { Resource, Resources } from '../../domain/declarations/resource.ts'
import { resourcesOfColumns } from '../../domain/exports/request.ts'
import { scopesOfFilters } from '../../domain/lists/request/options.ts'
import { includedResources } from '../../domain/lists/request/request.ts'

/** Ignores parameters and values that are invalid. */
export function readScopes(query: ParsedUrlQuery, resource: Resource, resources: Resources): Scope[] {
  const others: string[] = []
  if (query.include !== undefined) others.push(...includedResources(query, resource, resources))
  if (query.fields !== undefined) others.push(...resourcesOfColumns(query, resource, resources))
  others.push(...scopesOfFilters(query, resource, resources))
  return [...new Set(others)].map((name) => ({ resource: name, action: 'read' }))
}
