// Waits for a condition instead of a fixed time.

import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

/** The longest that something may take which has to happen in bounded time: longer than the time limits of the service together
 *  (14 s), and much shorter than what it would take without them. A slow machine needs the difference. */
export const boundedMs = 30_000

/** Calls `check` repeatedly until it returns a truthy value, and returns that value. Fails with the message `what` after
 *  `withinMs`, which is generous because other tests use the same processors. An error thrown by `check` is passed on. */
export async function eventually<T>(
  what: string,
  check: () => T | Promise<T>,
  { withinMs = boundedMs, everyMs = 10 } = {},
): Promise<Exclude<T, false | null | undefined>> {
  const end = performance.now() + withinMs
  for (;;) {
    const found = await check()
    if (found) return found as Exclude<T, false | null | undefined>
    if (performance.now() > end) assert.fail(`${what}: not within ${withinMs} ms`)
    await wait(everyMs)
  }
}
