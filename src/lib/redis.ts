// A connection to Redis or Valkey with a short time limit for each call. The only file that uses the Redis client.

import { once } from 'node:events'
import type { Logger } from 'pino'

/** Every call returns or throws within `answerMs`. */
export type Redis = {
  eval(script: string, call: { keys: string[]; arguments: string[] }): Promise<unknown>
  /** Why the server does not respond; null if it responds. */
  outage(): string | null
  close(): Promise<void>
}

/** `answerMs`: how long a call waits for its reply. After that, further calls fail immediately until the reply arrives.
 *  `startMs`: how long start-up waits for the first connection. */
export type RedisTimeouts = { answerMs: number; startMs: number }

export const defaultRedisTimeouts: RedisTimeouts = { answerMs: 500, startMs: 1000 }
/** A connection without any traffic for this long is replaced; pings keep a healthy one active. */
const keepAlive = { pingInterval: 4000, socketTimeout: 10_000 }
/** Maximum delay between two attempts to connect. */
const maxReconnectDelayMs = 1000

/** Connects, and reconnects whenever the connection is lost. Never throws: an outage is logged once, and calls fail
 *  until it is over. */
export async function openRedis(url: string, log: Logger, timeouts = defaultRedisTimeouts): Promise<Redis> {
  const { createClient } = await import('@redis/client') // loaded only if needed: it takes 0.1 s
  const { pingInterval, socketTimeout } = keepAlive
  const client = createClient({
    url: url.replace(/^valkey/, 'redis'),
    disableOfflineQueue: true,
    pingInterval,
    socket: { socketTimeout, reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, maxReconnectDelayMs) },
  })
  const outage = watchOutage(log)
  client.on('error', outage.logStart)
  client.on('ready', outage.logEnd)
  client.connect().catch(() => {}) // the client retries until it is closed
  await within(timeouts.startMs, once(client, 'ready')).catch(outage.logStart)
  /** Whether a reply is late. No more commands are sent until the reply arrives or the connection is lost. */
  let isSilent = false

  function waitFor(command: Promise<unknown>): void {
    isSilent = true
    command
      .then(outage.logEnd, () => {})
      .finally(() => {
        isSilent = false
      })
  }

  return {
    async eval(script, call) {
      if (isSilent || !client.isReady) throw new NoAnswer()
      const command = client.eval(script, call)
      try {
        const answer = await within(timeouts.answerMs, command)
        outage.logEnd()
        return answer
      } catch (error) {
        if (error instanceof NoAnswer) waitFor(command)
        outage.logStart(error)
        throw error
      }
    },
    outage: outage.reason,
    async close() {
      outage.stopLogging()
      client.destroy()
    },
  }
}

class NoAnswer extends Error {
  override message = 'no answer'
}

/** Logs one line when an outage begins and one when it ends, regardless of how many calls fail. */
function watchOutage(log: Logger) {
  let isOut = false
  let reason: string | null = null
  return {
    reason: () => reason,
    logStart(error: unknown): void {
      const { code, message } = error as { code?: string; message: string }
      reason = code ?? message
      if (isOut) return
      isOut = true
      log.warn(
        { reason },
        'the server at RATE_LIMIT_REDIS_URL does not respond: until it does, each node counts requests by itself',
      )
    },
    logEnd(): void {
      reason = null
      if (!isOut) return
      isOut = false
      log.info('the server at RATE_LIMIT_REDIS_URL responds again: the nodes share their counts')
    },
    /** Call this before the process itself closes the connection. */
    stopLogging(): void {
      isOut = true
    },
  }
}

/** Throws NoAnswer on a timeout. A reply that arrived while this process was busy is still accepted. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => setImmediate(() => timeout.reject(new NoAnswer())), milliseconds)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearTimeout(timer)
    timeout.promise.catch(() => {})
  }
}
