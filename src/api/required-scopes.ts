// Checks the scopes that a request needs (§5.4, contract §14). All functions throw 403 `forbidden`.

import type { Caller } from '../access/authenticator.ts'
import { type Action, allChangeScopes, allows, changeActions, type Scope } from '../access/scopes.ts'
import type { StoredRequest } from '../engine/responses/stored-response.ts'
import { Problem } from '../problem.ts'

/** `either`: the caller needs all scopes in at least one of these lists. */
export function requireScopes(caller: Caller, scopes: readonly Scope[], either?: readonly (readonly Scope[])[]): void {
  const missing = missingOf(caller, scopes)
  if (missing.length > 0) throw insufficientScope(caller, missing)
  if (!either) return
  const alternatives = either.map((needed) => missingOf(caller, needed))
  if (alternatives.some((lacking) => lacking.length === 0)) return
  throw insufficientScope(caller, alternatives.flat(), { conjunction: 'or' })
}

const writing = new Set<Action>(changeActions)

/** Returns the scopes that the caller lacks. Creating, updating and deleting together are `write`. */
function missingOf({ permissions }: Caller, needed: readonly Scope[]): string[] {
  const missing = needed.filter((scope) => !allows(permissions, scope))
  if (missing.length === 0) return []
  const byResource = Map.groupBy(missing, ({ resource }) => resource)
  return [...byResource].flatMap(([resource, scopes]) => {
    const actions = new Set(scopes.map(({ action }) => action))
    return actions.isSupersetOf(writing) ? [`${resource}:write`] : [...actions].map((action) => `${resource}:${action}`)
  })
}

type Wording = { purpose?: string; conjunction?: 'and' | 'or' }

/** `missing`: the scopes that the caller lacks. `purpose`: what they are needed for. */
export function insufficientScope(
  { scopes }: Pick<Caller, 'scopes'>,
  missing: readonly string[],
  { purpose = 'This request needs', conjunction = 'and' }: Wording = {},
): Problem {
  const needed = new Intl.ListFormat('en-GB', { type: conjunction === 'and' ? 'conjunction' : 'disjunction' })
  const message = `${purpose} ${needed.format(missing)}. The API key has ${scopes.join(', ')}.`
  return new Problem('forbidden', { message, missingScopes: missing })
}

/** Throws unless the caller may make the original request, whose stored response would be replayed. If that request's
 *  scopes were not stored, an identical request is allowed, because the new request's scopes have already been
 *  checked, but any other request requires the scopes for every change. */
export function requireReplayScopes(caller: Caller, { scopes, isSameRequest }: StoredRequest): void {
  if (scopes === null && isSameRequest) return
  const needed = scopes?.split(' ').filter(Boolean) ?? allChangeScopes
  requireAll(caller, needed, 'The first request with this Idempotency-Key needed')
}

function requireAll(caller: Caller, needed: readonly string[], purpose: string): void {
  const scopes = needed.map((scope) => {
    const [resource, action] = scope.split(':') as [string, Action]
    return { resource, action }
  })
  const missing = missingOf(caller, scopes)
  if (missing.length > 0) throw insufficientScope(caller, missing, { purpose })
}
