// Waits for a condition instead of a fixed time.

import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

/** The longest time that an operation may take. The service's time limits add up to 14 s; the rest is a margin for slow
 *  machines. */
export const boundedMs = 30_000

/** Calls `check` repeatedly until it returns a truthy value, and returns that value. Rethrows errors of `check`. Fails
 *  with the message `what` after `withinMs`, which is long because other tests use the same processors. */
export async function eventually<T>(
  what: string,
  check: () => T | Promise<T>,
  { withinMs = boundedMs, everyMs = 10 } = {},
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const value = await check()
    if (value) return value as Exclude<T, false | null | undefined>
    if (performance.now() > deadline) assert.fail(`${what}: not within ${withinMs} ms`)
    await wait(everyMs)
  }
}
