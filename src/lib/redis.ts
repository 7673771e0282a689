// The only file that uses the Redis client (Redis or Valkey): a connection that answers quickly or fails at once.

import { once } from 'node:events'
import type { Logger } from 'pino'

/** Every call answers within `answerMs` or throws. */
export type Redis = {
  eval(script: string, call: { keys: string[]; arguments: string[] }): Promise<unknown>
  close(): Promise<void>
}

/** `answerMs`: how long a request waits for a reply; requests behind it fail at once. `startMs`: how long start-up waits for the
 *  first connection. */
export type RedisTimeouts = { answerMs: number; startMs: number }

export const defaultRedisTimeouts: RedisTimeouts = { answerMs: 500, startMs: 1000 }
/** A connection without any traffic for this long is replaced; pings keep a healthy one active. */
const silence = { pingInterval: 4000, socketTimeout: 10_000 }
/** Maximum delay between two attempts to connect. */
const maxReconnectDelayMs = 1000

/** Connects, and reconnects whenever the connection is lost. Never throws: an outage is logged once, and calls fail during
 *  it. */
export async function openRedis(url: string, log: Logger, timeouts = defaultRedisTimeouts): Promise<Redis> {
  const { createClient } = await import('@redis/client') // loaded only if needed: it takes 0.1 s
  const { pingInterval, socketTimeout } = silence
  const client = createClient({
    url: url.replace(/^valkey/, 'redis'),
    disableOfflineQueue: true,
    pingInterval,
    socket: { socketTimeout, reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, maxReconnectDelayMs) },
  })
  const outage = watchOutage(log)
  client.on('error', outage.began)
  client.connect().catch(() => {}) // the client retries until it is closed
  await within(timeouts.startMs, once(client, 'ready')).catch(outage.began)
  /** Whether a command was not answered in time. Until it is, or its connection is lost, no more commands are sent. */
  let isSilent = false

  function waitFor(command: Promise<unknown>): void {
    const settled = () => {
      isSilent = false
    }
    isSilent = true
    command.then(settled, settled)
  }

  return {
    async eval(script, call) {
      if (isSilent || !client.isReady) throw new NoAnswer()
      const command = client.eval(script, call)
      try {
        const answer = await within(timeouts.answerMs, command)
        outage.ended()
        return answer
      } catch (error) {
        if (error instanceof NoAnswer) waitFor(command)
        outage.began(error)
        throw error
      }
    },
    async close() {
      outage.forget()
      client.destroy()
    },
  }
}

class NoAnswer extends Error {
  override message = 'no answer'
}

/** Logs one line when an outage begins and one when it ends, however many requests it affects. */
function watchOutage(log: Logger) {
  let isOut = false
  return {
    began(error: unknown): void {
      if (isOut) return
      isOut = true
      const { code, message } = error as { code?: string; message: string }
      log.warn(
        { reason: code ?? message },
        'the server at RATE_LIMIT_REDIS_URL does not respond: until it does, each node counts requests by itself',
      )
    },
    ended(): void {
      if (!isOut) return
      isOut = false
      log.info('the server at RATE_LIMIT_REDIS_URL responds again: the nodes share their counts')
    },
    /** Logs nothing from now on: the process is closing the connection. */
    forget(): void {
      isOut = true
    },
  }
}

/** Throws NoAnswer on a timeout. A reply that arrived while this process was busy is still in time. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => setImmediate(() => late.reject(new NoAnswer())), milliseconds)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
    late.promise.catch(() => {})
  }
}
