// Defines the operations that the benchmarks measure. Every contender receives the same bytes.

import { randomUUID } from 'node:crypto'

/** Requests of one kind. Each client cycles through the paths and the bodies. `freshKeys`: each request has a new
 *  Idempotency-Key. */
export type Operation = {
  name: string
  method: 'GET' | 'POST' | 'PUT'
  paths: string[]
  bodies?: string[]
  freshKeys?: true
}

const path = '/customers.php'

const body = JSON.stringify({
  name: 'Harbour branch',
  code: 'HB-01',
  email: 'harbour@example.com',
  phone: '+49 40 123456',
  city: 'Hamburg',
  country: 'DE',
})

/** The ids of the first 50 records created. */
const ids = Array.from({ length: 50 }, (_, index) => index + 1)

/** Measured in this order, because reads require existing records. The minimal server ignores idempotency keys. */
export const operations: Operation[] = [
  { name: 'create', method: 'POST', paths: [path], bodies: [body] },
  { name: 'keyed create', method: 'POST', paths: [path], bodies: [body], freshKeys: true },
  { name: 'read by id', method: 'GET', paths: ids.map((id) => `${path}?id=${id}`) },
  { name: 'list of 50', method: 'GET', paths: [`${path}?limit=50`] },
]

/** The number of creates in a bulk request. */
export const bulkSize = 1000

/** A bulk request that consists of creates. */
export const bulk: Operation = {
  name: `bulk of ${bulkSize} creates`,
  method: 'POST',
  paths: ['/bulk.php'],
  bodies: [
    JSON.stringify({
      operations: Array(bulkSize).fill({ method: 'POST', resource: 'customers', body: JSON.parse(body) }),
    }),
  ],
  freshKeys: true,
}

/** Consecutive updates to a record differ, because an update without any change would cost less. */
export const update: Operation = {
  name: 'update',
  method: 'PUT',
  paths: ids.map((id) => `${path}?id=${id}`),
  bodies: Array.from({ length: 99 }, (_, index) =>
    JSON.stringify({ city: `Hamburg ${index}`, notes: `visited ${index} times` }),
  ),
}

/** No index supports this list, so the list reads all of the tenant's records. */
export const fullScan: Operation = {
  name: 'list that reads everything',
  method: 'GET',
  paths: [`${path}?sort=phone&notes[ne]=x&limit=1`],
}

export type Request = { path: string; headers: Record<string, string>; body?: string }

/** Returns one client's requests as bytes. */
export function rawRequestsOf(
  operation: Operation,
  tokens: string[],
  base: string,
  start: number,
  clients: number,
): Buffer[] {
  return requestsOf(operation, tokens, start, clients).map(({ path, headers, body }) => {
    const lines = [
      `${operation.method} ${base}${path} HTTP/1.1`,
      'host: bench',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
    ]
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
  })
}

/** Overwrites the Idempotency-Key in a request's bytes, so that the request can be sent again. */
export function renewKey(request: Buffer): void {
  const start = request.indexOf('idempotency-key: ') + 'idempotency-key: '.length
  request.write(randomUUID(), start, 'latin1')
}

/** Returns one client's requests, which cover every path, every body, and all of this client's tokens. `start` is the
 *  client's index. If there are more than two tokens per client, each client uses only its share of the tokens:
 *  with all tokens in every client, the requests for 1,000 tenants would take 1 GB of memory. */
export function requestsOf(operation: Operation, allTokens: string[], start = 0, clients = 1): Request[] {
  const { paths, bodies = [], freshKeys } = operation
  const isDivided = clients > 1 && allTokens.length > 2 * clients
  const tokens = isDivided ? allTokens.filter((_, index) => index % clients === start % clients) : allTokens
  return Array.from({ length: Math.max(paths.length, tokens.length, bodies.length) }, (_, index) => {
    const token = tokens[(start + index) % tokens.length]
    const body = bodies[(start + index) % bodies.length]
    return {
      path: paths[(start + index) % paths.length]!,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(freshKeys && { 'idempotency-key': randomUUID() }),
      },
      ...(body !== undefined && { body }),
    }
  })
}
