// Checks the scopes that a request needs (§5.4, contract §14). All functions throw 403 `forbidden`.

import type { Caller } from '../access/authenticator.ts'
import { type Action, allows, everyChange, type Scope } from '../access/scopes.ts'
import { Problem } from '../problem.ts'
import type { StoredRequest } from '../storage/stored-response.ts'

/** `either`: the caller needs all scopes of at least one of these lists. */
export function requireScopes(
  { permissions }: Caller,
  scopes: readonly Scope[],
  either: readonly (readonly Scope[])[] = [[]],
): void {
  const hasAll = (needed: readonly Scope[]) => needed.every((scope) => allows(permissions, scope))
  if (!hasAll(scopes) || !either.some(hasAll)) throw new Problem('forbidden')
}

/** Included records need the read scope of their resource. Call this before the other checks of the query. */
export function requireIncludeScopes(caller: Caller, included: readonly string[]): void {
  requireAll(
    caller,
    included.map((name) => `${name}:read`),
    'this include needs',
  )
}

/** Columns of an export that show other records need the read scope of their resource. */
export function requireColumnScopes(caller: Caller, shownResources: readonly string[]): void {
  requireAll(
    caller,
    shownResources.map((name) => `${name}:read`),
    'these columns need',
  )
}

/** A stored response is replayed only to a caller who may make the original request. If the scopes of that request were
 *  not stored, the caller must either repeat the same request, because its scopes have been checked already, or hold
 *  the scopes for every change. */
export function requireReplayScopes(caller: Caller, { scopes, isSameRequest }: StoredRequest): void {
  if (scopes === null && isSameRequest) return
  const needed = scopes?.split(' ').filter(Boolean) ?? everyChange
  requireAll(caller, needed, 'the first request with this Idempotency-Key needed')
}

function requireAll(caller: Caller, needed: readonly string[], purpose: string): void {
  const missing = needed.filter((scope) => {
    const [resource, action] = scope.split(':') as [string, Action]
    return !allows(caller.permissions, { resource, action })
  })
  if (missing.length === 0) return
  const message = `The API key lacks a scope that ${purpose}: ${missing.join(', ')}.`
  throw new Problem('forbidden', { message })
}
