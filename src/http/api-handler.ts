// The interface between the HTTP server and the API. The server parses requests, and the API's handler answers them.

import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Caller } from '../access/authenticator.ts'
import type { Assets } from './assets.ts'

/** An HTTP request. `path` is relative to the base path; `search` is the query string without the `?`. */
export type ApiCall = {
  id: string
  method: string
  path: string
  search: string
  headers: IncomingHttpHeaders
  body: Readable
  /** Calls the listener when the response has been sent or the client has disconnected. */
  onClose(listener: () => void): void
}

/** A request's caller and response headers, as far as they are known. Each check can add headers. Error responses
 *  include these headers too. */
export type ResponseContext = { headers: Record<string, string>; caller: Caller | null }

/** Answers a request. A stream is sent in chunks. Throws a Problem to send an error response. Any other error is a bug
 *  or an outage. */
export type ApiHandler = (
  call: ApiCall,
  context: ResponseContext,
) => Promise<{ status: number; body: string | Readable }>

/** `handle` receives every request below `basePath`, except requests for assets, which do not require an API key.
 *  `paths`: the endpoints' paths, from the server's root. */
export type ApiRoutes = { basePath: string; handle: ApiHandler; assets: Assets; paths: readonly string[] }
