// Waits for a condition instead of a time.

import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

/** Asks again and again until `check` gives something true, and gives it back. Fails after `withinMs` with the words `what`;
 *  a check that throws fails at once. */
export async function eventually<T>(
  what: string,
  check: () => T | Promise<T>,
  { withinMs = 10_000, everyMs = 10 } = {},
): Promise<T> {
  const end = performance.now() + withinMs
  for (;;) {
    const found = await check()
    if (found) return found
    if (performance.now() > end) assert.fail(`${what}: not within ${withinMs} ms`)
    await wait(everyMs)
  }
}
