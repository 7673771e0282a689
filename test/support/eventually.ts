// Waits for a condition instead of a fixed time.

import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

/** The longest time that an operation may take. The service's time limits add up to 14 s; the rest is a margin for slow
 *  machines. */
export const boundedMs = 30_000

/** Calls `check` repeatedly until it returns a truthy value, and returns that value. Rethrows errors of `check`. Fails
 *  with the message `what` after `withinMs`, which is long because other tests use the same processors. By default, the
 *  longer it has waited, the less often it calls `check`, so that frequent checks do not slow down the service. */
export async function eventually<T>(
  what: string,
  check: () => T | Promise<T>,
  { withinMs = boundedMs, everyMs }: { withinMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, false | null | undefined>> {
  const startedAt = performance.now()
  for (;;) {
    const value = await check()
    if (value) return value as Exclude<T, false | null | undefined>
    const elapsedMs = performance.now() - startedAt
    if (elapsedMs > withinMs) assert.fail(`${what}: not within ${withinMs} ms`)
    await wait(everyMs ?? Math.min(Math.max(10, elapsedMs / 10), 100))
  }
}
