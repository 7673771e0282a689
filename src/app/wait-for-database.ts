// A server may start before its PostgreSQL does, after a power cut for example: it waits for a while.

import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Unavailable } from '../database/database.ts'

const retryIntervalMs = 500

/** How often the log says what the start waits for. */
const logIntervalMs = 5000

export type WaitOptions = { timeoutMs: number; log: Logger; signal?: AbortSignal | undefined }

/** Repeats `open` while it throws Unavailable, until the time is over. Then, or when `signal` aborts, throws the last failure. */
export async function waitForDatabase<T>(open: () => Promise<T>, { timeoutMs, log, signal }: WaitOptions): Promise<T> {
  const startedAt = performance.now()
  let nextLogAt = startedAt
  for (;;) {
    try {
      return await open()
    } catch (error) {
      const now = performance.now()
      if (!(error instanceof Unavailable) || now - startedAt >= timeoutMs || signal?.aborted) throw error
      if (now >= nextLogAt) {
        const secondsLeft = Math.ceil((startedAt + timeoutMs - now) / 1000)
        log.warn({ reason: error.message, secondsLeft }, 'the start waits for PostgreSQL (STARTUP_TIMEOUT)')
        nextLogAt = now + logIntervalMs
      }
    }
    await wait(retryIntervalMs, undefined, { signal }).catch(() => {}) // the next attempt is the last one
  }
}
