// Types for the parts of autocannon that the benchmark uses, because the package itself has none.

declare module 'autocannon' {
  import type { EventEmitter } from 'node:events'

  export type Request = { path: string; headers?: Record<string, string>; body?: string }

  /** One connection. Emits `response`, and then sends the current content of getRequestBuffer() as its next request.
   *  Stops after `responseMax` requests. */
  export type Client = EventEmitter & {
    getRequestBuffer(): Buffer
    setRequests(requests: Request[]): void
    reqsMade: number
    responseMax: number
  }

  export type Options = {
    /** Connections are spread over the URLs. */
    url: string[]
    method: string
    headers: Record<string, string>
    body?: string
    connections: number
    pipelining: number
    /** Seconds. */
    duration: number
    timeout: number
    /** How often autocannon checks whether the duration is over, in milliseconds. */
    sampleInt: number
    setupClient: (client: Client) => void
  }

  export type Result = { '2xx': number; non2xx: number; errors: number; timeouts: number; statusCodeStats: object }

  export type Run = Promise<Result> & {
    once(event: 'start', listener: () => void): void
    on(event: 'response', listener: (client: Client, status: number, bytes: number, milliseconds: number) => void): void
  }

  export default function autocannon(options: Options): Run
}
