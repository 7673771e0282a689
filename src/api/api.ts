// Handles one API request: runs its checks in the order of contract §5.

import type { ParsedUrlQuery } from 'node:querystring'
import type { Authenticator } from '../access/authenticator.ts'
import type { RateLimit } from '../access/request-counts.ts'
import type { Resources } from '../domain/declarations/resource.ts'
import { allowedList, quote } from '../domain/fields/unknown-names.ts'
import { joinLists } from '../domain/lists/request/request.ts'
import { Busy, TooSlow, Unavailable } from '../engine/database/database.ts'
import type { Engine } from '../engine/engine.ts'
import { ping } from '../engine/operation.ts'
import type { TenantLocation } from '../engine/tenant-databases.ts'
import type { ApiCall, ApiHandler } from '../http/api-handler.ts'
import { UploadRefused } from '../http/upload.ts'
import { invalidRequest, Problem } from '../problem.ts'
import { answerChange, type MutationDependencies } from './answers.ts'
import { authenticate, countRequest, requireScopes, scopesNeeded } from './checks.ts'
import {
  type Answer,
  type ApiServices,
  type ChangingEndpoint,
  type Endpoint,
  type Route,
  routesOf,
} from './endpoint.ts'
import { readQuery } from './parse-request.ts'

export type ApiDependencies = ApiServices &
  MutationDependencies & {
    endpoints: readonly Endpoint[]
    resources: Resources
    authenticator: Authenticator
    rateLimit: RateLimit
    /** URL of the reference page. */
    reference: string
  }

export function createApi(deps: ApiDependencies): ApiHandler {
  const routes = routesOf(deps.endpoints)

  return async (call, response) => {
    const identify = () => authenticate(deps.authenticator, call.headers.authorization, deps.now())
    const caller = await identify() // 401, tenant_suspended
    response.caller = caller
    const window = await countRequest(deps.rateLimit, caller, response) // 429
    const { tenant } = caller
    const answer = await reportOutages(deps.engine, tenant, async () => {
      const givenQuery = readQuery(call.search)
      const endpoint = findEndpoint(routes, call, givenQuery, deps.reference) // 404, 405
      const query = endpoint.isList ? joinLists(givenQuery, endpoint.isList) : givenQuery
      const needed = scopesNeeded(endpoint, query)
      requireScopes(caller, needed, endpoint.eitherScopes) // 403
      const { resources } = deps
      const reauthenticate = async () => {
        const current = await identify()
        requireScopes(current, needed, endpoint.eitherScopes)
        return current
      }
      const request = { call, caller, reauthenticate, window, query, tenant, resources, services: deps }
      // The remaining checks: Idempotency-Key, query, body, fields, and the checks that require the database.
      return 'operation' in endpoint ? answerChange(endpoint, request, deps) : endpoint.answer(request)
    })
    Object.assign(response.headers, answer.headers)
    return answer
  }
}

/** `reference`: the URL of the reference page. Throws `not_found` for an unknown path, and `method_not_allowed` with
 *  the `Allow` header (§4.3). */
function findEndpoint(
  routes: ReadonlyMap<string, Route>,
  { path, method }: ApiCall,
  query: ParsedUrlQuery,
  reference: string,
): Endpoint {
  const route = routes.get(path)
  if (!route) {
    const message = `There is no such path in this API. The reference lists all paths: ${reference}`
    throw new Problem('not_found', { message })
  }
  const endpoints = route.get(method)
  if (!endpoints) throw new Problem('method_not_allowed', { headers: { allow: [...route.keys()].join(', ') } })
  return chooseEndpoint(endpoints, query)
}

/** Returns the endpoint of the action that the query names. An unknown action is refused where an endpoint reads its
 *  query, so that a used Idempotency-Key is answered first. */
function chooseEndpoint(endpoints: readonly [Endpoint, ...Endpoint[]], query: ParsedUrlQuery): Endpoint {
  const [first] = endpoints
  if (!('operation' in first)) return first
  const changing = endpoints.filter((endpoint) => 'operation' in endpoint)
  const byParameter = changing.find(({ chosenBy }) => chosenBy !== undefined && query[chosenBy] !== undefined)
  const endpoint = byParameter ?? changing.find(({ action, chosenBy }) => !chosenBy && action === query.action)
  if (endpoint) return endpoint
  const read = () => {
    throw unknownAction(query.action, changing)
  }
  return { ...first, read }
}

function unknownAction(value: string | string[] | undefined, endpoints: readonly ChangingEndpoint[]): Problem {
  const actions = endpoints
    .flatMap(({ action, chosenBy }) => (action === undefined || chosenBy ? [] : action))
    .toSorted()
  if (Array.isArray(value)) return invalidRequest('action is given more than once; give it once.')
  const fault = value === undefined ? 'action is missing' : `action does not take ${quote(value)}`
  return invalidRequest(`${fault}; ${allowedList(actions)}`)
}

/** Converts database errors to problems. An outage of the tenant's database takes precedence over other problems, so
 *  the database is pinged before any other problem is reported. */
async function reportOutages(engine: Engine, tenant: TenantLocation, handle: () => Promise<Answer>): Promise<Answer> {
  try {
    return await handle().catch(async (error: unknown) => {
      if (error instanceof Problem) await engine.run(tenant, ping, null)
      throw error
    })
  } catch (error) {
    if (error instanceof UploadRefused) throw new Problem('server_busy', { message: error.message })
    if (error instanceof Busy) throw new Problem('server_busy')
    if (error instanceof Unavailable) throw new Problem('tenant_unavailable', { cause: error })
    if (error instanceof TooSlow) throw new Problem('query_too_slow')
    throw error
  }
}
