// Records to read, made through the front door of whatever is measured.

import { type Operation, operations } from './operations.ts'

/** Reads go through so many records, and a page of a list has as many. */
const pageSize = 50

/** How many tenants are touched at a time. */
const atOnce = 16

const [create, , , list] = operations

/** Makes a page of records and one more. Throws where a list of them is not a page then: it would cost less than it should. */
export async function makeRecords(url: string, token?: string): Promise<void> {
  for (let made = 0; made <= pageSize; made++) await ask(url, token, create!)
  const { data } = (await ask(url, token, list!)) as { data: object[] }
  if (data.length !== pageSize) throw new Error(`A page at ${url} has ${data.length} records.`)
}

/** Makes a record in each tenant: files are open then, as far as they may be. */
export async function touchAll(url: string, tokens: string[]): Promise<void> {
  const waiting = tokens.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
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
