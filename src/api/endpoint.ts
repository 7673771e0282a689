// What an endpoint declares. Everything else is derived from it: routing, `Allow`, the scope, idempotency, the OpenAPI
// document, the scopes that a key can have, and the shared tests of refusals.

import type { ParsedUrlQuery } from 'node:querystring'
import type { Readable } from 'node:stream'
import type { Caller } from '../access/authenticator.ts'
import type { Window } from '../access/rate-limit.ts'
import { allScopes, type Scope } from '../access/scopes.ts'
import type { ApiCall } from '../http/api-handler.ts'
import type { Upload, Uploads } from '../http/upload.ts'
import { Problem, type ProblemCode } from '../problem.ts'
import type { Resource } from '../resources/resource.ts'
import type { JobScheduler } from '../storage/jobs/scheduler.ts'
import type { ListDependencies } from '../storage/list-page.ts'
import type { MutationName } from '../storage/operations.ts'
import type { TenantContext } from '../storage/storage.ts'
import type { StoredResponse } from '../storage/stored-response.ts'
import type { TenantRename } from '../tenants/tenant-settings.ts'
import type { Tenant } from '../tenants/tenants.ts'
import type { HeaderName } from './openapi/headers.ts'
import type { Examples, Exchange, Link, Parameter, Reference, Schema, Tag, TextType } from './openapi/types.ts'

/** One path with one method, which is one operation of the OpenAPI document. GET includes HEAD. */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Relative to the base path. */
  path: `/${string}.php`
  /** The scope that the API key needs; null: any key may use it. */
  scope: Scope | null
  /** The key needs all scopes of one of these lists, besides `scope`. Which one only the data can tell, so the operation checks
   *  again. */
  eitherScopes?: readonly (readonly Scope[])[]
  /** The scopes that requests with certain query parameters need besides it, by the name of the parameter. */
  parameterScopes?: { readonly [parameter: string]: Scope }
  /** The scopes that the values of a query need besides these. */
  queryScopes?(query: ParsedUrlQuery): Scope[]
  /** Called only when the document is built. */
  docs: () => EndpointDocs
} & (Answering | Changing)

/** An endpoint that answers the request itself: it reads, or it streams. Throws Problem. */
export type Answering = { answer(request: ApiRequest): Promise<Answer> }

/** An endpoint that runs one operation exactly once per Idempotency-Key. */
export type Changing = {
  operation: MutationName
  /** Whether the request has a body; other bodies are ignored. */
  hasBody: boolean
  /** Whether the body is that of a bulk request, with its own limits. `read` then parses `bytes` in parts. */
  isBulk?: true
  /** Whether the body is a file. */
  takesFile?: true
  /** Whether the operation makes jobs due. */
  startsJobs?: true
  /** Parses the request for the operation, without the database. `body`: the JSON object of the body. `bytes`: the body as it was
   *  sent; null if it is too large. `file`: the body with `takesFile`; what it contains is stored here, because it does not fit into
   *  an input. Throws Problem. */
  read(request: ApiRequest, body: () => object, bytes: Buffer | null, file: Upload | null): object | Promise<object>
  /** What follows from a change outside the tenant's database. Also called when a response is repeated, in case the first request
   *  did not get that far. */
  afterwards?(request: ApiRequest, input: object, response: StoredResponse): Promise<void>
  /** The scopes that an input needs besides `scope`. `read` checks them. */
  scopesOf?(input: object): Scope[]
}

/** A request whose caller is authenticated and has the scope. `window`: the state of the rate limit; undefined without one.
 *  `reauthenticate`: for answers that take long; the caller as of now, or the error that a new request would get. */
export type ApiRequest = TenantContext & {
  call: ApiCall
  caller: Caller
  reauthenticate: () => Promise<Caller>
  window: Window | undefined
  query: ParsedUrlQuery
  services: ApiServices
}

/** `location`: prefix of Location headers and links, up to the path of the endpoint. */
export type ApiServices = ListDependencies & {
  location: string
  now: () => Date
  limits: RequestLimits
  jobs: JobScheduler
  uploads: Uploads
  renameTenant(tenant: Tenant, rename: TenantRename): Promise<void>
}

/** `bodyBytes`: of the body of one change. `bulkOperations`: how many changes a bulk request may have. */
export type RequestLimits = { bodyBytes: number; bulkOperations: number }

/** `headers`: those of this response only. A stream is sent as it comes. */
export type Answer = { status: number; body: string | Readable; headers?: Record<string, string> }

/** What the OpenAPI document says about an endpoint, besides what follows from its declaration. */
export type EndpointDocs = {
  /** The `operationId`. */
  id: string
  tag: Tag
  summary: string
  description: string
  /** Query parameters. */
  parameters?: (Parameter | Reference)[]
  precondition?: 'IfMatch' | 'IfNoneMatch'
  body?: { schema: Schema; examples: Examples; type?: 'text/csv' }
  /** By status. */
  responses: Record<number, SuccessResponse>
  /** The error codes of this endpoint, in the order of the checks (contract §5). Those that every endpoint shares are
   *  added. */
  errors: ProblemCode[]
  /** The members that its errors add to the standard envelope, where they differ from those of other endpoints. */
  errorMembers?: { readonly [Code in ProblemCode]?: Record<string, Schema> }
  /** The resource whose fields `validation_failed` names. */
  resource?: Resource
  /** Successes come first. */
  exchanges: Exchange[]
  /** Schemas and parameters that it refers to. */
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> }
}

/** `schema`: of the JSON body; a response without a schema has no body. `otherTypes`: of bodies that are not JSON, by type. */
export type SuccessResponse = {
  description: string
  schema?: Schema
  otherTypes?: { [Type in TextType]?: Schema }
  headers?: HeaderName[]
  links?: Record<string, Link>
}

/** The endpoints of a path by method. GET answers HEAD too. */
type Route = ReadonlyMap<string, Endpoint>

/** The endpoints by path and method. Throws if two of them are the same. */
export function routesOf(endpoints: readonly Endpoint[]): ReadonlyMap<string, Route> {
  const routes = new Map<string, Map<string, Endpoint>>()
  for (const endpoint of endpoints) {
    const { path } = endpoint
    const route = routes.get(path) ?? new Map<string, Endpoint>()
    for (const method of methodsOf(endpoint)) {
      if (route.has(method)) throw new Error(`${method} ${path} is declared twice`)
      route.set(method, endpoint)
    }
    routes.set(path, route)
  }
  return routes
}

export function methodsOf({ method }: Endpoint): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

/** `reference`: URL of the reference page. Throws `not_found` for an unknown path, and `method_not_allowed` with `Allow` (§4.3). */
export function findEndpoint(
  routes: ReadonlyMap<string, Route>,
  { path, method }: ApiCall,
  reference: string,
): Endpoint {
  const route = routes.get(path)
  if (!route) {
    const message = `There is no such path in this API. The reference lists all paths: ${reference}`
    throw new Problem('not_found', { message })
  }
  const endpoint = route.get(method)
  if (!endpoint) throw new Problem('method_not_allowed', { headers: { allow: [...route.keys()].join(', ') } })
  return endpoint
}

/** All scopes that a request with this query needs. */
export function scopesNeeded(endpoint: Endpoint, query: ParsedUrlQuery): Scope[] {
  const { scope, parameterScopes = {} } = endpoint
  const more = Object.keys(parameterScopes).filter((name) => Object.hasOwn(query, name))
  const ofValues = endpoint.queryScopes?.(query) ?? []
  return [...(scope ? [scope] : []), ...more.map((name) => parameterScopes[name]!), ...ofValues]
}

/** Every scope that a key for these endpoints can have. */
export function scopesOf(endpoints: readonly Endpoint[]): string[] {
  return allScopes(
    endpoints.flatMap(({ scope, parameterScopes = {} }) => [scope ?? [], ...Object.values(parameterScopes)].flat()),
  )
}
