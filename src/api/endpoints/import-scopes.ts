// The scopes of imports that depend on an import's resource (contract §4 and §17).

import type { Caller } from '../../access/authenticator.ts'
import { type Action, allows, type Scope } from '../../access/scopes.ts'
import type { Resources } from '../../domain/declarations/resource.ts'

/** Returns the scopes that an import into this resource requires. */
export function scopesOfChanges(resource: string): Scope[] {
  return (['create', 'update', 'delete'] as const satisfies Action[]).map((action) => ({ resource, action }))
}

/** Returns the resources into which the caller may import. */
export function writableBy({ permissions }: Caller, resources: Resources): string[] {
  const mayChange = (resource: string) => scopesOfChanges(resource).every((scope) => allows(permissions, scope))
  return resources.map(({ name }) => name).filter(mayChange)
}

/** Returns the resources whose imports and failed rows the caller may read. */
export function readableBy(caller: Caller, resources: Resources): string[] {
  const writable = writableBy(caller, resources)
  const mayRead = (resource: string) =>
    writable.includes(resource) || allows(caller.permissions, { resource, action: 'read' })
  return resources.map(({ name }) => name).filter(mayRead)
}
