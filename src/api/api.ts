// One request of the API, in the order of the contract's checks (§5 there): reads from top to bottom as that order.

import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ParsedUrlQuery } from 'node:querystring'
import type { Readable } from 'node:stream'
import { Unavailable } from '../database.ts'
import { invalidRequest, Problem, problems } from '../problem.ts'
import type { Resource, Resources } from '../resources/resource.ts'
import { validateChanges, validateNew } from '../resources/validate.ts'
import { type Answer, type Request, toAnswer } from '../storage/operations.ts'
import type { Storage } from '../storage/storage.ts'
import type { Caller, Keyring } from '../tenancy/api-keys.ts'
import type { RateLimit, Window } from '../tenancy/rate-limit.ts'
import { type Action, allows } from '../tenancy/scopes.ts'
import { authenticate } from './authenticate.ts'
import { allowed, type Endpoint, endpointsOf, isMethodOf } from './endpoints.ts'
import { parseBody, readBody, readId, readIdempotencyKey, readQuery, requireId } from './read.ts'

/** A request as HTTP delivers it; `path` is relative to the base, `search` is what follows the `?`. */
export type Call = {
  id: string
  method: string
  path: string
  search: string
  headers: IncomingHttpHeaders
  body: Readable
}

/** What happened to a call. Headers and caller are filled in as the checks go, so that a refusal has them too. */
export type Exchange = { headers: Record<string, string>; caller: Caller | null }

/** A call of a known caller, on its way. */
type Visit = { call: Call; exchange: Exchange; caller: Caller }

type Change = Exclude<Action, 'read'>

export type Reply = { status: number; body: string }

/** What the API stands on. `location`: what Location headers begin with, up to the path of the endpoint. */
export type ApiParts = {
  resources: Resources
  keyring: Keyring
  rateLimit: RateLimit
  storage: Storage
  bodyLimit: number
  reuse: 'replay' | 'reject'
  location: string
  now: () => Date
}

/** Answers calls. Throws Problem for every refusal; anything else that it throws is a bug. */
export type Api = (call: Call, exchange: Exchange) => Promise<Reply>

/** Records on a page of a list. */
const pageSize = 50

export function createApi(parts: ApiParts): Api {
  const { keyring, rateLimit, storage, now } = parts
  const endpoints = endpointsOf(parts.resources)

  async function answer(call: Call, exchange: Exchange): Promise<Reply> {
    const caller = await authenticate(keyring, call.headers.authorization, now())
    exchange.caller = caller
    const window = await rateLimit.count(caller.id)
    if (window) Object.assign(exchange.headers, rateLimitHeaders(window))
    if (window?.isExceeded) throw new Problem('rate_limited', { headers: { 'retry-after': '60' } })
    try {
      return await serve({ call, exchange, caller })
    } catch (error) {
      if (error instanceof Unavailable) throw new Problem('tenant_unavailable')
      throw error
    }
  }

  /** Every way through here meets the tenant's database, a refusal too: an outage stands before it (contract §5). */
  async function serve(visit: Visit): Promise<Reply> {
    const { call, caller } = visit
    try {
      const endpoint = findEndpoint(endpoints, call.path)
      const action = findAction(endpoint, call.method)
      requireScope(caller, endpoint.resource, action)
      return await (action === 'read' ? read(visit, endpoint.resource) : change(visit, endpoint, action))
    } catch (error) {
      if (error instanceof Problem) await storage.run(caller.tenant, 'ping', null)
      throw error
    }
  }

  async function read({ call, exchange, caller }: Visit, resource: Resource): Promise<Reply> {
    const query = readQuery(call.search)
    const id = readId(query)
    if (id === undefined) {
      requireNoOther(query)
      const body = await storage.run(caller.tenant, 'list', { resource: resource.name, limit: pageSize })
      return { status: 200, body }
    }
    const found = await storage.run(caller.tenant, 'find', { resource: resource.name, id })
    if (!found) throw new Problem('not_found', { message: `There is no ${resource.one} with this id.` })
    exchange.headers.etag = found.etag
    const isKnown = matches(found.etag, call.headers['if-none-match'])
    return isKnown ? { status: 304, body: '' } : { status: 200, body: found.body }
  }

  async function change({ call, exchange, caller }: Visit, endpoint: Endpoint, action: Change): Promise<Reply> {
    const key = readIdempotencyKey(call.headers)
    const body = action === 'delete' ? Buffer.alloc(0) : await readBody(call.body, parts.bodyLimit)
    const answer = await storage.run(caller.tenant, 'mutate', {
      occasion: { now: now().toISOString(), actor: { apiKeyId: caller.id }, requestId: call.id },
      once: key === null ? null : { key, fingerprint: fingerprint(call, body), reuse: parts.reuse },
      request: understand(call, endpoint, action, body, parts.location),
    })
    return toReply(answer, exchange)
  }

  return answer
}

/** What is asked for, or the refusal of it: a used Idempotency-Key is answered whatever query and body hold. */
function understand(call: Call, endpoint: Endpoint, action: Change, body: Buffer | null, location: string): Request {
  try {
    return readChange(call, endpoint, action, body, location)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { action: 'refuse', answer: toAnswer(error), isKept: problems[error.code].kept }
  }
}

function readChange(call: Call, endpoint: Endpoint, action: Change, body: Buffer | null, location: string): Request {
  const { resource, path } = endpoint
  const query = readQuery(call.search)
  const contentType = call.headers['content-type']
  const ifMatch = call.headers['if-match'] ?? null
  switch (action) {
    case 'create': {
      const values = validateNew(resource, parseBody(contentType, body))
      return { action, resource: resource.name, values, location: `${location}${path}?id=` }
    }
    case 'update': {
      const id = requireId(query)
      const values = validateChanges(resource, parseBody(contentType, body))
      return { action, resource: resource.name, id, values, ifMatch }
    }
    case 'delete':
      return { action, resource: resource.name, id: requireId(query), ifMatch }
  }
}

function findEndpoint(endpoints: ReadonlyMap<string, Endpoint>, path: string): Endpoint {
  const endpoint = endpoints.get(path)
  if (!endpoint) throw new Problem('not_found', { message: 'There is no such path in this API.' })
  return endpoint
}

function findAction(endpoint: Endpoint, method: string): Action {
  if (isMethodOf(endpoint, method)) return endpoint.methods[method]
  throw new Problem('method_not_allowed', { headers: { allow: allowed(endpoint) } })
}

function requireScope(caller: Caller, resource: Resource, action: Action): void {
  if (!allows(caller.pairs, resource.name, action)) throw new Problem('forbidden')
}

function requireNoOther(query: ParsedUrlQuery): void {
  const [other] = Object.keys(query)
  if (other !== undefined) {
    throw invalidRequest(`There is no parameter ${JSON.stringify(other.slice(0, 40))} here; allowed is id.`)
  }
}

/** If-None-Match compares weakly (RFC 9110 §13.1.2): a proxy may have marked our tag as weak. */
function matches(etag: string, header = ''): boolean {
  return header.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))
}

/** Tells whether two requests with one Idempotency-Key are the same one. */
function fingerprint(call: Call, body: Buffer | null): string {
  const head = Buffer.from(`${call.method} ${call.path}?${call.search}\n`)
  return hash('sha256', Buffer.concat([head, body ?? Buffer.alloc(0)]), 'base64url')
}

function toReply(answer: Answer, exchange: Exchange): Reply {
  if (answer.location !== null) exchange.headers.location = answer.location
  if (answer.isReplay) exchange.headers['idempotent-replayed'] = 'true'
  return { status: answer.status, body: answer.body }
}

function rateLimitHeaders(window: Window): Record<string, string> {
  return {
    'x-ratelimit-limit': String(window.limit),
    'x-ratelimit-remaining': String(window.remaining),
    'x-ratelimit-reset': String(window.resetsAt),
  }
}
