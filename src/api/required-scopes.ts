// Checks the scopes that a request needs (§5.4, contract §14). All functions throw 403 `forbidden`.

import type { Caller } from '../access/authenticator.ts'
import { type Action, allChangeScopes, allows, type Scope } from '../access/scopes.ts'
import { Problem } from '../problem.ts'
import type { StoredRequest } from '../storage/responses/stored-response.ts'

/** `either`: the caller needs all scopes in at least one of these lists. */
export function requireScopes(
  { permissions }: Caller,
  scopes: readonly Scope[],
  either: readonly (readonly Scope[])[] = [[]],
): void {
  const hasAll = (needed: readonly Scope[]) => needed.every((scope) => allows(permissions, scope))
  if (!hasAll(scopes) || !either.some(hasAll)) throw new Problem('forbidden')
}

/** Including records requires the read scope for their resource. Call this before the other checks of the query. */
export function requireIncludeScopes(caller: Caller, included: readonly string[]): void {
  requireAll(
    caller,
    included.map((name) => `${name}:read`),
    'this include needs',
  )
}

/** Export columns that show other records require the read scope for those records' resource. */
export function requireColumnScopes(caller: Caller, shownResources: readonly string[]): void {
  requireAll(
    caller,
    shownResources.map((name) => `${name}:read`),
    'these columns need',
  )
}

/** Throws unless the caller may make the original request, whose stored response would be replayed. If that request's
 *  scopes were not stored, an identical request is allowed, because the new request's scopes have already been
 *  checked, but any other request requires the scopes for every change. */
export function requireReplayScopes(caller: Caller, { scopes, isSameRequest }: StoredRequest): void {
  if (scopes === null && isSameRequest) return
  const needed = scopes?.split(' ').filter(Boolean) ?? allChangeScopes
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
