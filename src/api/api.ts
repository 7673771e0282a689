// Handles one API request. The functions appear in the order of the checks that the contract prescribes (contract §5).

import { type ParsedUrlQuery, stringify } from 'node:querystring'
import type { Authenticator, Caller } from '../access/authenticator.ts'
import type { RateLimit, Window } from '../access/rate-limit.ts'
import type { Action } from '../access/scopes.ts'
import { Busy, TooSlow, Unavailable } from '../database/database.ts'
import type { ApiCall, ApiHandler, Reply, ResponseContext } from '../http/api-handler.ts'
import type { BodyReader } from '../http/body-reader.ts'
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
import { type ChangingAction, fingerprint, parseMutation } from './parse-mutation.ts'
import { readId, readIdempotencyKey, readQuery } from './parse-request.ts'
import { requireIncludeScopes, requireReplayScopes, requireScope } from './required-scopes.ts'

/** A request whose caller is authenticated. */
type RequestContext = { call: ApiCall; exchange: ResponseContext; caller: Caller }

/** `location`: prefix of Location headers and links, up to the path of the endpoint. */
export type ApiDependencies = ListDependencies & {
  resources: Resources
  authenticator: Authenticator
  rateLimit: RateLimit
  bodies: BodyReader
  reuse: 'replay' | 'reject'
  location: string
  now: () => Date
}

export function createApi(deps: ApiDependencies): ApiHandler {
  const { authenticator, rateLimit, storage, now } = deps
  const endpoints = endpointsOf(deps.resources)

  async function handle(call: ApiCall, exchange: ResponseContext): Promise<Reply> {
    const caller = await authenticate(authenticator, call.headers.authorization, now())
    exchange.caller = caller
    const window = await rateLimit.count(caller.id, caller.tenant.id)
    if (window) Object.assign(exchange.headers, rateLimitHeaders(window))
    if (window?.exceeded) throw rateLimited(window.exceeded)
    try {
      return await serve({ call, exchange, caller })
    } catch (error) {
      if (error instanceof Busy) throw new Problem('server_busy')
      if (error instanceof Unavailable) throw new Problem('tenant_unavailable', { cause: error })
      if (error instanceof TooSlow) throw new Problem('query_too_slow')
      throw error
    }
  }

  /** Reports an outage of the tenant's database before any other error (contract §5): a request that fails before it
   *  reaches the database pings it first. */
  async function serve(context: RequestContext): Promise<Reply> {
    const { call, caller } = context
    try {
      const endpoint = findEndpoint(endpoints, call.path)
      const action = findAction(endpoint, call.method)
      requireScope(caller, endpoint.name, action)
      if (!endpoint.resource) return await listChanges(context, endpoint)
      return await (action === 'read' ? read(context, endpoint) : change(context, endpoint, action))
    } catch (error) {
      if (error instanceof Problem) await storage.run(caller.tenant, 'ping', null)
      throw error
    }
  }

  async function read(context: RequestContext, endpoint: ResourceEndpoint): Promise<Reply> {
    const query = readQuery(context.call.search)
    requireIncludeScopes(context.caller, includedResources(query, endpoint.resource, deps.resources))
    const id = readId(query)
    return id === undefined ? list(context, endpoint, query) : find(context, endpoint.resource, query, id)
  }

  async function find(context: RequestContext, resource: Resource, query: ParsedUrlQuery, id: number): Promise<Reply> {
    const found = await findOne(context.caller, resource, query, id)
    if (!found) throw new Problem('not_found', { message: `There is no ${resource.singular} with this id.` })
    return unlessNotModified(context, found.etag, () => found.body)
  }

  function findOne(
    { tenant }: Caller,
    resource: Resource,
    query: ParsedUrlQuery,
    id: number,
  ): Promise<TaggedRecord | null> {
    const input = { resource: resource.name, id, timeoutMs: deps.listTimeoutMs }
    if (asksAssignments(query, resource)) return storage.run(tenant, 'assignments', input)
    const includes = readIncludes(query, resource, deps.resources)
    const moment = readAsOf(query, now())
    if (moment === null) return storage.run(tenant, 'find', { ...input, includes })
    return storage.run(tenant, 'findAsOf', { ...input, includes: includes ?? {}, moment })
  }

  async function list(
    context: RequestContext,
    { resource, path }: ResourceEndpoint,
    query: ParsedUrlQuery,
  ): Promise<Reply> {
    const request = readListRequest(query, resource, deps.resources, now())
    const listing = readListPage(deps, context.caller.tenant, resource.name, request)
    const page = await (request.asOf ? listing.catch(adviseAsOf) : listing)
    if (page.next !== null) context.exchange.headers.link = linkTo(path, { ...query, cursor: page.next })
    return unlessNotModified(context, page.etag, () => pageText(request.limit, page))
  }

  async function listChanges(context: RequestContext, { path }: HistoryEndpoint): Promise<Reply> {
    const query = readQuery(context.call.search)
    const changesQuery = readChangesQuery(query, deps.resources)
    const history = await storage.run(context.caller.tenant, 'changes', {
      ...changesQuery,
      timeoutMs: deps.listTimeoutMs,
    })
    if (history.hasMore) context.exchange.headers.link = linkTo(path, { ...query, since: String(history.since) })
    return unlessNotModified(context, history.etag, () => changesText(changesQuery.limit, history))
  }

  /** The `Link` header of the next page: the same query, except for the position at which the page starts. */
  function linkTo(path: string, query: ParsedUrlQuery): string {
    return `<${deps.location}${path}?${stringify(query)}>; rel="next"`
  }

  async function change(
    { call, exchange, caller }: RequestContext,
    endpoint: ResourceEndpoint,
    action: ChangingAction,
  ): Promise<Reply> {
    const key = readIdempotencyKey(call.headers)
    const body = action === 'delete' ? Buffer.alloc(0) : await deps.bodies.read(call.body, caller.tenant.id)
    const scopes = `${endpoint.name}:${action}`
    const response = await storage.run(caller.tenant, 'mutate', {
      context: { now: now().toISOString(), actor: { apiKeyId: caller.id }, requestId: hideKeys(call.id) },
      idempotency: key === null ? null : { key, fingerprint: fingerprint(call, body), scopes, reuse: deps.reuse },
      request: parseMutation(call, endpoint, action, body, deps.location),
    })
    if (response.replay) requireReplayScopes(caller, response.replay)
    return toReply(response, exchange)
  }

  return handle
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

/** Replaces the default advice of `query_too_slow`, which does not help for an `as_of` list. */
function adviseAsOf(error: unknown): never {
  if (!(error instanceof TooSlow)) throw error
  const advice = 'Ask for a later as_of, or leave sort and filters away: by id it is fast.'
  throw new Problem('query_too_slow', { message: `This takes longer than this server allows. ${advice}` })
}

/** 304 if the client already has this version (If-None-Match), else 200 with the body. */
function unlessNotModified({ call, exchange }: RequestContext, etag: string, body: () => string): Reply {
  exchange.headers.etag = etag
  const isUnchanged = isKnown(etag, call.headers['if-none-match'])
  return isUnchanged ? { status: 304, body: '' } : { status: 200, body: body() }
}

function toReply(response: StoredResponse, exchange: ResponseContext): Reply {
  if (response.location !== null) exchange.headers.location = response.location
  if (response.etag !== undefined) exchange.headers.etag = response.etag
  if (response.replay) exchange.headers['idempotent-replayed'] = 'true'
  return { status: response.status, body: response.body }
}

function rateLimited(exceeded: 'key' | 'tenant'): Problem {
  const headers = { 'retry-after': '60' }
  if (exceeded === 'key') return new Problem('rate_limited', { headers })
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
