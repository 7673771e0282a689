// The scopes a request needs (§5.4, contract §14). Without them the response is 403 `forbidden`.

import type { Caller } from '../access/authenticator.ts'
import { type Action, allows, everyChange } from '../access/scopes.ts'
import { Problem } from '../problem.ts'
import type { StoredRequest } from '../storage/stored-response.ts'

export function requireScope(caller: Caller, name: string, action: Action): void {
  if (!allows(caller.permissions, name, action)) throw new Problem('forbidden')
}

/** Included records need the read scope of their resource. Checked before the rest of the query. */
export function requireIncludeScopes(caller: Caller, included: readonly string[]): void {
  const missing = included.filter((name) => !allows(caller.permissions, name, 'read'))
  if (missing.length > 0)
    throw forbidden(
      'this include needs',
      missing.map((name) => `${name}:read`),
    )
}

/** A stored response is replayed only to a caller who may make the original request. If its scopes were not stored, the
 *  caller must repeat the same request, which passed its own scope check, or hold the scopes for every change. */
export function requireReplayScopes(caller: Caller, { scopes, isSameRequest }: StoredRequest): void {
  if (scopes === null && isSameRequest) return
  const missing = (scopes?.split(' ') ?? everyChange).filter((scope) => {
    const [name, action] = scope.split(':') as [string, Action]
    return !allows(caller.permissions, name, action)
  })
  if (missing.length > 0) throw forbidden('the first request with this Idempotency-Key needed', missing)
}

function forbidden(need: string, missing: readonly string[]): Problem {
  return new Problem('forbidden', { message: `The API key lacks a scope that ${need}: ${missing.join(', ')}.` })
}
