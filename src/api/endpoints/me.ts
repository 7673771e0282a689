// GET /me.php: returns information about the request's API key (contract §14).

import { ping } from '../../engine/operation.ts'
import { version } from '../../lib/version.ts'
import type { Answer, ApiRequest, Endpoint, EndpointDocs } from '../endpoint.ts'
import { refused } from '../openapi/examples.ts'
import { countSchema, object, orNull, textSchema, timestampSchema } from '../openapi/schemas/kinds.ts'
import { type Exchange, ref } from '../openapi/types.ts'
import { readParameters, readQuery } from '../parse-request.ts'

export function meEndpoint(): Endpoint {
  return { method: 'GET', path: '/me.php', scope: null, answer, docs }
}

async function answer({ query, caller, window, tenant, services }: ApiRequest): Promise<Answer> {
  readParameters(query, [], 'me.php takes none.')
  await services.engine.run(tenant, ping, null) // an outage takes precedence over every other response (contract §5)
  const { id, name, scopes, expires_at } = caller
  const body = {
    tenant: caller.tenant.slug,
    key: { id, name, scopes, expires_at },
    rate_limit: window ? { limit: window.limit, remaining: window.remaining, reset: window.resetsAt } : null,
    server_time: services.now().toISOString(),
    version,
  }
  return { status: 200, body: JSON.stringify(body) }
}

function docs(): EndpointDocs {
  return {
    id: 'read_me',
    tag: { name: 'me', description: 'The API key itself.' },
    summary: 'Read information about the API key',
    description:
      'Returns the tenant, the API key with its scopes and expiry, and its rate limit. Use it to check a key and to compare clocks.',
    responses: { 200: { description: 'The API key of this request.', schema: ref('schemas', 'Me') } },
    errors: ['invalid_request'],
    exchanges: exchanges(),
    components: { schemas: { Me: schema } },
  }
}

const rateLimit = object({
  limit: countSchema('Requests allowed per window, as in `X-RateLimit-Limit`.'),
  remaining: countSchema('Requests left in the current window, as in `X-RateLimit-Remaining`.'),
  reset: countSchema('Epoch second at which the window ends, as in `X-RateLimit-Reset`.'),
})

const schema = object({
  tenant: textSchema('The short name of the tenant.'),
  key: object({
    id: textSchema('The id of the key, as in the history and in `tenantdesk key list`.'),
    name: textSchema('The name of the key.'),
    scopes: { type: 'array', items: { type: 'string' }, minItems: 1, description: 'The scopes of the key.' },
    expires_at: { ...orNull(timestampSchema), description: 'When the key expires; null if it does not.' },
  }),
  rate_limit: { ...orNull(rateLimit), description: 'The rate limit after this request; null if there is no limit.' },
  server_time: { ...timestampSchema, description: "The server's current time." },
  version: textSchema('The version of Tenantdesk.'),
})

/** The API key in the examples. The tests create it. */
export const exampleKey = { id: '4fJq8sLw2Z', name: 'HR sync', scopes: ['*:read', '*:write'], expires_at: null }

function exchanges(): Exchange[] {
  const rate_limit = { limit: 1000, remaining: 999, reset: 1772440260 }
  const me = { tenant: 'acme', key: exampleKey, rate_limit, server_time: '2026-03-02T08:30:00.000Z', version }
  return [
    { name: 'me', request: {}, status: 200, answer: me },
    refused({ query: 'id=7' }, () => readParameters(readQuery('id=7'), [], 'me.php takes none.')),
  ]
}
