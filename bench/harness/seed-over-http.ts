// Creates records over HTTP.

import { type Operation, operations } from './operations.ts'

/** Records that the reads use, and the size of a page. */
const pageSize = 50

/** Requests in flight. */
const concurrency = 16

const [create, , , list] = operations

/** Creates a page of records and one more, and checks that a list returns a full page. */
export async function makeRecords(url: string, token?: string): Promise<void> {
  for (let count = 0; count <= pageSize; count++) await ask(url, token, create!)
  const { data } = (await ask(url, token, list!)) as { data: object[] }
  if (data.length !== pageSize) throw new Error(`A page at ${url} has ${data.length} records.`)
}

/** Creates a record in each tenant, which opens as many files as the limit allows. */
export async function touchAll(url: string, tokens: string[]): Promise<void> {
  const waiting = tokens.values()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const token of waiting) await ask(url, token, create!)
    }),
  )
}

async function ask(url: string, token: string | undefined, { method, paths, bodies }: Operation): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const answer = await fetch(url + paths[0]!, { method, headers, ...(bodies && { body: bodies[0]! }) })
  if (!answer.ok) throw new Error(`${method} ${paths[0]}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}
