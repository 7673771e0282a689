// What the measurements use of autocannon, which brings no types of its own.

declare module 'autocannon' {
  import type { EventEmitter } from 'node:events'

  export type Request = { path: string; headers?: Record<string, string> }

  /** One connection. Emits `response` before it sends its next request, which is these bytes as they then are. */
  export type Client = EventEmitter & { getRequestBuffer(): Buffer }

  export type Options = {
    url: string
    method: string
    headers: Record<string, string>
    body?: string
    connections: number
    pipelining: number
    /** Seconds. */
    duration: number
    /** Milliseconds between looks at whether the duration is over. */
    sampleInt: number
    requests: Request[]
    setupClient: (client: Client) => void
  }

  export type Result = { '2xx': number; non2xx: number; errors: number; timeouts: number; statusCodeStats: object }

  /** Emits `start`, and `response` (client, status, bytes, milliseconds) for each answer. */
  export type Run = EventEmitter & Promise<Result>

  export default function autocannon(options: Options): Run
}
