// Creates records over HTTP.

import { type Operation, operations } from '../operations.ts'

const pageSize = 50

/** The number of requests in flight. */
const concurrency = 16

const [create, , , list] = operations

/** Creates one record more than fits on a page, and checks that a list returns a full page. */
export async function seedRecords(url: string, token?: string): Promise<void> {
  for (let count = 0; count <= pageSize; count++) await send(url, token, create!)
  const { data } = (await send(url, token, list!)) as { data: object[] }
  if (data.length !== pageSize) throw new Error(`A page at ${url} has ${data.length} records.`)
}

/** Creates a record in each tenant. This also opens the tenants' files, up to the limit on open files. */
export async function createRecordInEach(url: string, tokens: string[]): Promise<void> {
  const waiting = tokens.values()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const token of waiting) await send(url, token, create!)
    }),
  )
}

async function send(url: string, token: string | undefined, { method, paths, bodies }: Operation): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const response = await fetch(url + paths[0]!, { method, headers, ...(bodies && { body: bodies[0]! }) })
  if (!response.ok) throw new Error(`${method} ${paths[0]}: ${response.status} ${await response.text()}`)
  return response.json()
}
