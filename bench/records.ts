// Records to read, made through the front door of whatever is measured.

import { operations } from './operations.ts'

/** Reads go through so many records, and a page of a list has as many. */
const pageSize = 50

const [create, , , list] = operations

/** Makes a page of records and one more. Throws where a list of them is not a page then: it would cost less than it should. */
export async function makeRecords(url: string, token?: string): Promise<void> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const ask = async (path: string, method: string, body?: string) => {
    const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  for (let made = 0; made <= pageSize; made++) await ask(create!.paths[0]!, 'POST', create!.body)
  const { data } = (await ask(list!.paths[0]!, 'GET')) as { data: object[] }
  if (data.length !== pageSize) throw new Error(`A page at ${url} has ${data.length} records.`)
}
