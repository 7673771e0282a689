// Waits: before a retry, for the rate limit, and for a job of the service.

import { TenantdeskError } from './errors.ts'

/** Why and how long the client waits before it sends a request again. `reason`: `rate_limit` (429), `unavailable` (500,
 *  502, 503 or 504), or `no_answer` (a network failure). `error`: what the previous attempt failed with. */
export type Wait = { seconds: number; reason: 'rate_limit' | 'unavailable' | 'no_answer'; error: Error }

type Waiting = { onWait?: ((wait: Wait) => void) | undefined; signal?: AbortSignal | undefined }

/** The wait after a 429 that says nothing about its length. */
const defaultLimitWaitSeconds = 60

/** Reports a wait before a retry, and waits. Throws the reason of an aborted signal. */
export async function waitToRetry(settings: Waiting, error: Error, seconds: number, signal?: AbortSignal) {
  settings.onWait?.({ seconds, reason: reasonOf(error), error })
  await sleep(seconds * 1000, settings.signal, signal)
}

function reasonOf(error: Error): Wait['reason'] {
  if (!(error instanceof TenantdeskError)) return 'no_answer'
  return error.status === 429 ? 'rate_limit' : 'unavailable'
}

/** Repeats a request until the rate limit allows it. The wait may exceed the client's `patience`, because a request may
 *  also wait for those ahead of it. */
export async function untilAllowed<T>(settings: Waiting, send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof TenantdeskError) || error.code !== 'rate_limited') throw error
      await waitToRetry(settings, error, error.retryAfter ?? defaultLimitWaitSeconds, signal)
    }
  }
}

/** Throws the reason of an aborted signal. */
export async function sleep(milliseconds: number, ...signals: (AbortSignal | undefined)[]): Promise<void> {
  const signal = AbortSignal.any(signals.filter((each) => each !== undefined))
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    signal.addEventListener('abort', abort, { once: true })
  })
}
