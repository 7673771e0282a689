// One request of the API, in the order of the contract's checks (§5 there): reads from top to bottom as that order.

import { type ParsedUrlQuery, stringify } from 'node:querystring'
import type { Authenticator, Caller } from '../access/authenticator.ts'
import type { RateLimit, Window } from '../access/rate-limit.ts'
import type { Action } from '../access/scopes.ts'
import { Busy, TooSlow, Unavailable } from '../database/database.ts'
import type { Bodies } from '../http/body-reader.ts'
import { isKnown } from '../http/headers.ts'
import { hideKeys } from '../lib/hide-keys.ts'
import { Problem } from '../problem.ts'
import { includedResources, readAsOf, readIncludes, readListRequest } from '../resources/lists/request.ts'
import type { Resource, Resources } from '../resources/resource.ts'
import type { TaggedRecord } from '../storage/entity-tags.ts'
import { type ListDependencies, type ListPage, readListPage } from '../storage/list-page.ts'
import type { StoredResponse } from '../storage/stored-response.ts'
import { authenticate } from './authenticate.ts'
import {
  actionOf,
  allowed,
  type Endpoint,
  endpointsOf,
  type HistoryEndpoint,
  type ResourceEndpoint,
} from './endpoints.ts'
import { asksAssignments, changesText, readChangesQuery } from './history.ts'
import { fingerprint, type MutationInput, parseMutation } from './parse-mutation.ts'
import { type ApiCall, readId, readIdempotencyKey, readQuery } from './parse-request.ts'
import { requireIncludeScopes, requireReplayScopes, requireScope } from './required-scopes.ts'

/** What happened to a call. Headers and caller are filled in as the checks go, so that a refusal has them too. */
export type ResponseContext = { headers: Record<string, string>; caller: Caller | null }

/** A call of a known caller, on its way. */
type Visit = { call: ApiCall; exchange: ResponseContext; caller: Caller }

export type Reply = { status: number; body: string }

/** What the API stands on. `location`: what Location headers begin with, up to the path of the endpoint. */
export type ApiDependencies = ListDependencies & {
  resources: Resources
  authenticator: Authenticator
  rateLimit: RateLimit
  bodies: Bodies
  reuse: 'replay' | 'reject'
  location: string
  now: () => Date
}

/** Answers calls. Throws Problem for every refusal; anything else that it throws is a bug. */
export type Api = (call: ApiCall, exchange: ResponseContext) => Promise<Reply>

export function createApi(parts: ApiDependencies): Api {
  const { authenticator, rateLimit, storage, now } = parts
  const endpoints = endpointsOf(parts.resources)

  async function answer(call: ApiCall, exchange: ResponseContext): Promise<Reply> {
    const caller = await authenticate(authenticator, call.headers.authorization, now())
    exchange.caller = caller
    const window = await rateLimit.count(caller.id, caller.tenant.id)
    if (window) Object.assign(exchange.headers, rateLimitHeaders(window))
    if (window?.exceeded) throw tooMany(window.exceeded)
    try {
      return await serve({ call, exchange, caller })
    } catch (error) {
      if (error instanceof Busy) throw new Problem('server_busy')
      if (error instanceof Unavailable) throw new Problem('tenant_unavailable', { cause: error })
      if (error instanceof TooSlow) throw new Problem('query_too_slow')
      throw error
    }
  }

  /** Every way through here meets the tenant's database, a refusal too: an outage stands before it (contract §5). */
  async function serve(visit: Visit): Promise<Reply> {
    const { call, caller } = visit
    try {
      const endpoint = findEndpoint(endpoints, call.path)
      const action = findAction(endpoint, call.method)
      requireScope(caller, endpoint.name, action)
      if (!endpoint.resource) return await listChanges(visit, endpoint)
      return await (action === 'read' ? read(visit, endpoint) : change(visit, endpoint, action))
    } catch (error) {
      if (error instanceof Problem) await storage.run(caller.tenant, 'ping', null)
      throw error
    }
  }

  async function read(visit: Visit, endpoint: ResourceEndpoint): Promise<Reply> {
    const query = readQuery(visit.call.search)
    requireIncludeScopes(visit.caller, includedResources(query, endpoint.resource, parts.resources))
    const id = readId(query)
    return id === undefined ? list(visit, endpoint, query) : find(visit, endpoint.resource, query, id)
  }

  async function find(visit: Visit, resource: Resource, query: ParsedUrlQuery, id: number): Promise<Reply> {
    const found = await findOne(visit.caller, resource, query, id)
    if (!found) throw new Problem('not_found', { message: `There is no ${resource.singular} with this id.` })
    return unlessKnown(visit, found.etag, () => found.body)
  }

  function findOne(
    { tenant }: Caller,
    resource: Resource,
    query: ParsedUrlQuery,
    id: number,
  ): Promise<TaggedRecord | null> {
    const wish = { resource: resource.name, id, timeoutMs: parts.listTimeoutMs }
    if (asksAssignments(query, resource)) return storage.run(tenant, 'assignments', wish)
    const includes = readIncludes(query, resource, parts.resources)
    const moment = readAsOf(query, now())
    if (moment === null) return storage.run(tenant, 'find', { ...wish, includes })
    return storage.run(tenant, 'findAsOf', { ...wish, includes: includes ?? {}, moment })
  }

  async function list(visit: Visit, { resource, path }: ResourceEndpoint, query: ParsedUrlQuery): Promise<Reply> {
    const asked = readListRequest(query, resource, parts.resources, now())
    const listing = readListPage(parts, visit.caller.tenant, resource.name, asked)
    const page = await (asked.asOf ? listing.catch(adviseAsOf) : listing)
    if (page.next !== null) visit.exchange.headers.link = linkTo(path, { ...query, cursor: page.next })
    return unlessKnown(visit, page.etag, () => pageText(asked.limit, page))
  }

  async function listChanges(visit: Visit, { path }: HistoryEndpoint): Promise<Reply> {
    const query = readQuery(visit.call.search)
    const asked = readChangesQuery(query, parts.resources)
    const history = await storage.run(visit.caller.tenant, 'changes', { ...asked, timeoutMs: parts.listTimeoutMs })
    if (history.hasMore) visit.exchange.headers.link = linkTo(path, { ...query, since: String(history.since) })
    return unlessKnown(visit, history.etag, () => changesText(asked.limit, history))
  }

  /** The `Link` header to the next page: every parameter as it was, but for where it begins. */
  function linkTo(path: string, query: ParsedUrlQuery): string {
    return `<${parts.location}${path}?${stringify(query)}>; rel="next"`
  }

  async function change(
    { call, exchange, caller }: Visit,
    endpoint: ResourceEndpoint,
    action: MutationInput,
  ): Promise<Reply> {
    const key = readIdempotencyKey(call.headers)
    const body = action === 'delete' ? Buffer.alloc(0) : await parts.bodies.read(call.body, caller.tenant.id)
    const scopes = `${endpoint.name}:${action}`
    const answer = await storage.run(caller.tenant, 'mutate', {
      context: { now: now().toISOString(), actor: { apiKeyId: caller.id }, requestId: hideKeys(call.id) },
      idempotency: key === null ? null : { key, fingerprint: fingerprint(call, body), scopes, reuse: parts.reuse },
      request: parseMutation(call, endpoint, action, body, parts.location),
    })
    if (answer.replay) requireReplayScopes(caller, answer.replay)
    return toReply(answer, exchange)
  }

  return answer
}

function findEndpoint(endpoints: ReadonlyMap<string, Endpoint>, path: string): Endpoint {
  const endpoint = endpoints.get(path)
  if (!endpoint) throw new Problem('not_found', { message: 'There is no such path in this API.' })
  return endpoint
}

function findAction(endpoint: Endpoint, method: string): Action {
  const action = actionOf(endpoint, method)
  if (action) return action
  throw new Problem('method_not_allowed', { headers: { allow: allowed(endpoint) } })
}

/** The body of a page (contract §8). */
function pageText(limit: number, { data, next, total }: ListPage): string {
  const page = { limit, has_more: next !== null, next_cursor: next, ...(total !== null && { total }) }
  return `{"data":[${data}],"page":${JSON.stringify(page)}}`
}

/** What helps a list of what was is another thing than for other lists. */
function adviseAsOf(error: unknown): never {
  if (!(error instanceof TooSlow)) throw error
  const advice = 'Ask for a later as_of, or leave sort and filters away: by id it is fast.'
  throw new Problem('query_too_slow', { message: `This takes longer than this server allows. ${advice}` })
}

/** 304 for one who has the same already. */
function unlessKnown({ call, exchange }: Visit, etag: string, body: () => string): Reply {
  exchange.headers.etag = etag
  const isUnchanged = isKnown(etag, call.headers['if-none-match'])
  return isUnchanged ? { status: 304, body: '' } : { status: 200, body: body() }
}

function toReply(answer: StoredResponse, exchange: ResponseContext): Reply {
  if (answer.location !== null) exchange.headers.location = answer.location
  if (answer.etag !== undefined) exchange.headers.etag = answer.etag
  if (answer.replay) exchange.headers['idempotent-replayed'] = 'true'
  return { status: answer.status, body: answer.body }
}

function tooMany(whose: 'key' | 'tenant'): Problem {
  const headers = { 'retry-after': '60' }
  if (whose === 'key') return new Problem('rate_limited', { headers })
  const message = 'Too many requests from the API keys of this tenant together. Wait until the window resets.'
  return new Problem('rate_limited', { headers, message })
}

function rateLimitHeaders(window: Window): Record<string, string> {
  return {
    'x-ratelimit-limit': String(window.limit),
    'x-ratelimit-remaining': String(window.remaining),
    'x-ratelimit-reset': String(window.resetsAt),
  }
}
