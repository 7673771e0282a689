// Waits for a condition instead of a fixed time.

import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

/** The longest time for anything that has to end: longer than all time limits of the service together (14 s), but much
 *  shorter than without them. The margin is for slow machines. */
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
