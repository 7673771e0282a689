// Tests a rate limit with a window of one second, even on machines where a single request takes a second.

import assert from 'node:assert/strict'
import { eventually } from '../eventually.ts'
import type { Client, Response } from '../service.ts'

const windowMs = 1000

const get = (client: Client) => client('GET', '/customers.php')
const resetOf = ({ headers }: Response) => Number(headers['x-ratelimit-reset'])

/** Asserts that a window ends on time even if clients keep sending requests that are refused. Returns the first
 *  response of the next window. The clients share the window and take turns. */
export async function requireWindowEnds(clients: Client[]): Promise<Response> {
  const { first, openedBy } = await useUpWindow(clients[0]!)
  let requests = 0
  const second = await eventually('a new window', async () => {
    const sentAt = performance.now()
    const response = await get(clients[requests++ % clients.length]!)
    if (response.status === 200) return response
    assert.deepEqual([resetOf(response), response.headers['retry-after']], [resetOf(first), '60'])
    assert.ok(sentAt < openedBy + 1.1 * windowMs, 'no request is refused after the one-second window')
    return undefined
  })
  assert.ok(resetOf(second) > resetOf(first))
  return second
}

/** Sends requests until one is refused because the window is used up. On a slow machine this may take several windows.
 *  `first`: the first response of the last window. `openedBy`: when this response arrived (`performance.now()`). */
async function useUpWindow(client: Client): Promise<{ first: Response; openedBy: number }> {
  let [first, openedBy] = [await get(client), performance.now()]
  for (;;) {
    const response = await get(client)
    if (response.status === 429) return { first, openedBy }
    if (resetOf(response) !== resetOf(first)) [first, openedBy] = [response, performance.now()]
  }
}
