// The checks that precede every endpoint: the API key and its tenant (§5), the rate limit (§8), and the scopes (§5.4,
// contract §14).

import type { ParsedUrlQuery } from 'node:querystring'
import { type Action, allChangeScopes, allows, changeActions, type Scope } from '../access/api-key.ts'
import { type Authenticator, type Caller, isUsable } from '../access/authenticator.ts'
import type { RateLimit, Window } from '../access/request-counts.ts'
import { isActive } from '../catalog/catalog.ts'
import { employees } from '../domain/declarations/employees.ts'
import { type Resource, type Resources, scopeOf } from '../domain/declarations/resource.ts'
import type { StoredRequest } from '../engine/responses/stored-response.ts'
import type { ResponseContext } from '../http/api-handler.ts'
import { Problem } from '../problem.ts'
import type { Endpoint } from './endpoint.ts'

/** Throws `unauthorized`, `invalid_key_format`, `invalid_key`, `key_revoked` or `tenant_suspended`; the checks run in
 *  this order. */
export async function authenticate(
  authenticator: Authenticator,
  authorization: string | undefined,
  now: Date,
): Promise<Caller> {
  const token = bearerToken(authorization)
  if (!token.startsWith('tdk_') || token.length < 40) throw new Problem('invalid_key_format')
  const caller = await authenticator.find(token)
  if (!caller) throw new Problem('invalid_key')
  if (!isUsable(caller, now)) throw new Problem('key_revoked')
  if (!isActive(caller.tenant, now)) throw new Problem('tenant_suspended')
  return caller
}

/** The scheme's name is case-insensitive (RFC 9110 §11.1). */
function bearerToken(authorization: string | undefined): string {
  const match = /^bearer(?: +(.*))?$/i.exec(authorization ?? '')
  if (!match) throw new Problem('unauthorized')
  return match[1] ?? ''
}

/** Counts a request and adds the rate-limit headers to its response. Returns the window; undefined if there is no
 *  limit. Throws `rate_limited`. */
export async function countRequest(
  rateLimit: RateLimit,
  caller: Caller,
  response: ResponseContext,
): Promise<Window | undefined> {
  const window = await rateLimit.count(caller.id, caller.tenant.id, caller.rate_limit)
  if (!window) return undefined
  Object.assign(response.headers, {
    'x-ratelimit-limit': String(window.limit),
    'x-ratelimit-remaining': String(window.remaining),
    'x-ratelimit-reset': String(window.resetsAt),
  })
  if (window.exceeded) throw rateLimited(window)
  return window
}

function rateLimited({ exceeded, exceededLimit, resetsAt }: Window): Problem {
  const subject = exceeded === 'key' ? 'This API key' : "All of this tenant's API keys together"
  const end = new Date(resetsAt * 1000).toISOString().replace('.000', '')
  const message = `${subject} may send ${exceededLimit} requests a minute. The current window ends at ${end}.`
  return new Problem('rate_limited', { headers: { 'retry-after': '60' }, message })
}

/** Returns the scopes that the endpoint declares for this query, excluding `eitherScopes`. */
export function scopesNeeded(endpoint: Endpoint, query: ParsedUrlQuery): Scope[] {
  const { scope, parameterScopes } = endpoint
  const scopes = scope ? [scope] : []
  for (const name in parameterScopes) if (Object.hasOwn(query, name)) scopes.push(parameterScopes[name]!)
  if (endpoint.queryScopes) scopes.push(...endpoint.queryScopes(query))
  return scopes
}

/** `either`: the caller needs all scopes in at least one of these lists. */
export function requireScopes(caller: Caller, scopes: readonly Scope[], either?: readonly (readonly Scope[])[]): void {
  const missing = missingOf(caller, scopes)
  if (missing.length > 0) throw insufficientScope(caller, missing)
  if (!either) return
  const alternatives = either.map((needed) => missingOf(caller, needed))
  if (alternatives.some((lacking) => lacking.length === 0)) return
  throw insufficientScope(caller, alternatives.flat(), { conjunction: 'or' })
}

/** Returns the scopes of every change to a resource's records. */
export function scopesOfChanges(resource: Resource): Scope[] {
  return changeActions.map((action) => ({ resource: scopeOf(resource), action }))
}

/** Returns the resources that the caller may change in every way. */
export function writableBy({ permissions }: Caller, resources: Resources): string[] {
  const mayChange = (resource: Resource) => scopesOfChanges(resource).every((scope) => allows(permissions, scope))
  return resources.filter(mayChange).map(({ name }) => name)
}

/** Returns `forbidden` if the caller may not create a branch's stock, which is an employee. */
export function stockCreationOf({ permissions }: Caller): { stockCreation?: 'forbidden' } {
  return allows(permissions, { resource: employees.name, action: 'create' }) ? {} : { stockCreation: 'forbidden' }
}

const writeActions = new Set<Action>(changeActions)

/** Returns the scopes that the caller lacks. Creating, updating and deleting together are `write`. */
function missingOf({ permissions }: Caller, needed: readonly Scope[]): string[] {
  const missing = needed.filter((scope) => !allows(permissions, scope))
  if (missing.length === 0) return []
  const byResource = Map.groupBy(missing, ({ resource }) => resource)
  return [...byResource].flatMap(([resource, scopes]) => {
    const actions = new Set(scopes.map(({ action }) => action))
    return actions.isSupersetOf(writeActions)
      ? [`${resource}:write`]
      : [...actions].map((action) => `${resource}:${action}`)
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
 *  scopes were not stored: an identical request is allowed, because its own scopes have been checked. Any other request
 *  needs the scopes for every change. */
export function requireReplayScopes(caller: Caller, { scopes, isSameRequest }: StoredRequest): void {
  if (scopes === null && isSameRequest) return
  const needed = (scopes?.split(' ').filter(Boolean) ?? allChangeScopes).map((scope) => {
    const [resource, action] = scope.split(':') as [string, Action] // scopes are stored as resource:action
    return { resource, action }
  })
  const missing = missingOf(caller, needed)
  const purpose = 'The first request with this Idempotency-Key needed'
  if (missing.length > 0) throw insufficientScope(caller, missing, { purpose })
}
