// Waits for PostgreSQL at startup, because a server may start before its database, for example after a power cut.

import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Unavailable } from '../engine/database/database.ts'

const retryIntervalMs = 500

/** The interval at which the wait is logged. */
const logIntervalMs = 5000

export type WaitOptions = { timeoutMs: number; log: Logger; signal?: AbortSignal | undefined }

/** Repeats `open` while it throws Unavailable. Throws the last error once the timeout has passed or `signal` is
 *  aborted. */
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
        log.warn({ reason: error.message, secondsLeft }, 'waiting for PostgreSQL')
        nextLogAt = now + logIntervalMs
      }
    }
    await wait(retryIntervalMs, undefined, { signal }).catch(() => {}) // if aborted, the next attempt is the last one
  }
}
