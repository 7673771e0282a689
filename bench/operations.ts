// What is measured: each operation once, the same bytes for the floor and the service.

import { randomUUID } from 'node:crypto'

/** Requests of one kind. `freshKeys`: each carries an Idempotency-Key that was never used. */
export type Operation = { name: string; method: 'GET' | 'POST'; paths: string[]; body?: string; freshKeys?: true }

const path = '/customers.php'

const body = JSON.stringify({
  name: 'Harbour branch',
  code: 'HB-01',
  email: 'harbour@example.com',
  phone: '+49 40 123456',
  city: 'Hamburg',
  country: 'DE',
})

/** The first records that creates have made; every connection goes through them in turn. */
const ids = Array.from({ length: 50 }, (_, at) => at + 1)

/** In this order: reads find what creates have made. The floor gets the key of the second too, and ignores it. */
export const operations: Operation[] = [
  { name: 'create', method: 'POST', paths: [path], body },
  { name: 'keyed create', method: 'POST', paths: [path], body, freshKeys: true },
  { name: 'read by id', method: 'GET', paths: ids.map((id) => `${path}?id=${id}`) },
  { name: 'list of 50', method: 'GET', paths: [`${path}?limit=50`] },
]

export type Request = { path: string; headers: Record<string, string> }

/** What a client sends in turn: every path, and every token. Each client `start`s with another one. A floor has no tokens. */
export function requestsOf({ paths, body, freshKeys }: Operation, tokens: string[], start = 0): Request[] {
  return Array.from({ length: Math.max(paths.length, tokens.length) }, (_, at) => {
    const token = tokens[(start + at) % tokens.length]
    return {
      path: paths[(start + at) % paths.length]!,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(freshKeys && { 'idempotency-key': randomUUID() }),
      },
    }
  })
}
