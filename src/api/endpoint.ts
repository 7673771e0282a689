// The declaration of an endpoint. It determines routing, `Allow`, the scope check, idempotency, the OpenAPI document,
// the scopes that a key can have, and the shared tests of refusals.

import type { ParsedUrlQuery } from 'node:querystring'
import type { Readable } from 'node:stream'
import { allScopes, type Scope } from '../access/api-key.ts'
import type { Caller } from '../access/authenticator.ts'
import type { Window } from '../access/request-counts.ts'
import type { Config } from '../config.ts'
import type { Resource, Resources } from '../domain/declarations/resource.ts'
import type { JobScheduler } from '../domain/jobs/scheduler.ts'
import type { ListDependencies } from '../domain/lists/list-page.ts'
import type { Operation } from '../engine/operation.ts'
import type { StoredResponse } from '../engine/responses/stored-response.ts'
import type { TenantLocation } from '../engine/tenant-databases.ts'
import type { ApiCall } from '../http/api-handler.ts'
import type { Upload, Uploads } from '../http/upload.ts'
import type { ProblemCode } from '../problem.ts'
import type { Tenant, TenantRename } from '../tenants/tenants.ts'
import type { HeaderName } from './openapi/headers.ts'
import type { Examples, Exchange, Link, Parameter, Reference, Schema, Tag, TextType } from './openapi/types.ts'

/** One path with one method, and for a change also one action. GET includes HEAD. */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path relative to the base path. */
  path: `/${string}.php`
  /** The scope that the API key needs; null if the endpoint itself requires no scope. */
  scope: Scope | null
  /** In addition to `scope`, the key needs all scopes in at least one of these lists. Which list a request needs
   *  depends on the data, so the operation then checks that one. */
  eitherScopes?: readonly (readonly Scope[])[]
  /** Additional scopes for requests with certain query parameters, by parameter name. */
  parameterScopes?: { readonly [parameter: string]: Scope }
  /** Returns additional scopes that the values of the query parameters require. */
  queryScopes?(query: ParsedUrlQuery): Scope[]
  /** Whether a query parameter accepts a list, which may be written as a repeated parameter. */
  isList?(parameter: string): boolean
  /** Called only when the OpenAPI document of a tenant with these resources is built. */
  docs(resources: Resources): EndpointDocs
} & (ReadingEndpoint | ChangingEndpoint)

/** An endpoint that only reads. `answer` throws Problem. */
export type ReadingEndpoint = { answer(request: ApiRequest): Promise<Answer> }

/** An endpoint that runs one operation, at most once per Idempotency-Key. */
export type ChangingEndpoint = {
  /** The value of the query parameter `action` that chooses this endpoint among those with the same path and method
   *  (contract §27). Absent: the endpoint for requests without an action. */
  action?: string
  /** The query parameter whose presence chooses the action instead, for endpoints that are older than `action`. */
  chosenBy?: string
  operation: Operation<never, StoredResponse>
  /** Whether the request has a body. Otherwise any body is ignored. */
  hasBody: boolean
  /** Whether the body is a bulk request, which has its own limits. `read` then parses `bytes` in parts. */
  isBulk?: true
  acceptsFile?: true
  /** Whether the operation can create jobs or make them due. */
  schedulesJobs?: true
  /** Returns the operation's input. `body`: parses the body as a JSON object. `bytes`: the unparsed body; null if
   *  it is too large. `file`: the body if the endpoint `acceptsFile`; `read` stores the file's rows itself, because
   *  they are too large for an operation's input. Throws Problem. */
  read(request: ApiRequest, body: () => JsonObject, bytes: Buffer | null, file: Upload | null): object | Promise<object>
  /** Makes the changes outside the tenant's database that follow from the operation. Also called when a response is
   *  replayed, in case the first request failed before this step. */
  afterChange?(request: ApiRequest, input: object, response: StoredResponse): Promise<void>
  /** Returns the additional scopes that this input required. `read` has checked them; they are stored, so that a replay
   *  checks them again. */
  inputScopes?(input: object): Scope[]
}

export type JsonObject = { readonly [name: string]: unknown }

/** A request whose caller is authenticated and has the endpoint's scopes. `window`: the rate limit's state;
 *  undefined if there is no limit. `reauthenticate`: repeats these checks during a long response; returns the caller's
 *  current state, or throws Problem. */
export type ApiRequest = {
  tenant: TenantLocation
  resources: Resources
  call: ApiCall
  caller: Caller
  reauthenticate: () => Promise<Caller>
  window: Window | undefined
  query: ParsedUrlQuery
  services: ApiServices
}

/** `location`: the part of Location headers and links that precedes the endpoint's path. */
export type ApiServices = ListDependencies & {
  location: string
  now: () => Date
  config: Config
  jobs: JobScheduler
  uploads: Uploads
  renameTenant(tenant: Tenant, rename: TenantRename): Promise<void>
}

/** `headers`: headers in addition to those that all responses have. If `body` is a stream, it is sent in chunks. */
export type Answer = { status: number; body: string | Readable; headers?: Record<string, string> }

/** The parts of an endpoint's OpenAPI documentation that do not follow from its declaration. */
export type EndpointDocs = {
  id: string
  tag: Tag
  summary: string
  description: string
  parameters?: (Parameter | Reference)[]
  precondition?: 'IfMatch' | 'IfNoneMatch'
  body?: RequestBody
  /** Successful responses by status. */
  responses: Record<number, SuccessResponse>
  /** The error codes of this endpoint, in check order (contract §5), excluding the codes that all endpoints share. */
  errors: ProblemCode[]
  /** For an error code whose members differ at this endpoint: the members that replace the usual ones. */
  errorMembers?: { readonly [Code in ProblemCode]?: Record<string, Schema> }
  /** The resource whose fields `validation_failed` reports. */
  resource?: Resource
  /** Example requests with their responses, successful ones first. */
  exchanges: Exchange[]
  /** Schemas and parameters that the documentation refers to. */
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> }
}

/** The errors of every endpoint that reads a body, in the order of the checks. */
export const bodyErrors = ['invalid_request', 'invalid_json', 'payload_too_large'] as const satisfies ProblemCode[]

/** `type`: the media type of a body that is not JSON. `isOptional`: only some of the actions have a body. */
export type RequestBody = { schema: Schema; examples: Examples; type?: 'text/csv'; isOptional?: boolean }

/** `schema`: the schema of the JSON body; undefined if there is no body. `otherTypes`: the schemas of other bodies
 *  by media type. */
export type SuccessResponse = {
  description: string
  schema?: Schema
  otherTypes?: { [Type in TextType]?: Schema }
  headers?: HeaderName[]
  links?: Record<string, Link>
}

/** A path's endpoints, by method: the one without an action, and then one for each action. HEAD maps to the GET
 *  endpoint. */
export type Route = ReadonlyMap<string, readonly [Endpoint, ...Endpoint[]]>

/** Returns the endpoints by path and method. Throws if two endpoints have the same path, method and action. */
export function routesOf(endpoints: readonly Endpoint[]): ReadonlyMap<string, Route> {
  const routes = new Map<string, Map<string, [Endpoint, ...Endpoint[]]>>()
  for (const endpoint of endpoints) {
    const { path } = endpoint
    const action = actionOf(endpoint)
    const route = routes.get(path) ?? new Map<string, [Endpoint, ...Endpoint[]]>()
    for (const method of methodsOf(endpoint)) {
      const others = route.get(method) ?? []
      if (others.some((other) => actionOf(other) === action))
        throw new Error(`${method} ${path}${action === undefined ? '' : `?action=${action}`} is declared twice`)
      route.set(method, action === undefined ? [endpoint, ...others] : [...others, endpoint])
    }
    routes.set(path, route)
  }
  return routes
}

export function methodsOf({ method }: Endpoint): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

export function actionOf(endpoint: Endpoint): string | undefined {
  return 'operation' in endpoint ? endpoint.action : undefined
}

/** Returns every scope that a key for these endpoints can have. */
export function scopesOf(endpoints: readonly Endpoint[]): string[] {
  return allScopes(
    endpoints.flatMap(({ scope, parameterScopes = {} }) => [scope ?? [], ...Object.values(parameterScopes)].flat()),
  )
}
