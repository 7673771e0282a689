// What the HTTP server and the API agree on: the server parses a request, and the API's handler answers it.

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
  /** Calls the listener when the response has been sent or the client is gone. */
  onClose(listener: () => void): void
}

/** Response headers and caller of a request. Each check adds what it knows, so that error responses carry them too. */
export type ResponseContext = { headers: Record<string, string>; caller: Caller | null }

/** A body that is a stream is sent as it comes. */
export type Reply = { status: number; body: string | Readable }

/** Answers a request. Throws Problem for every error response; anything else it throws is a bug or an outage. */
export type ApiHandler = (call: ApiCall, context: ResponseContext) => Promise<Reply>

/** `handle` gets every request below `basePath`, except for the assets. Assets need no API key. `paths`: those that `handle` knows,
 *  from the root of the server. */
export type ApiRoutes = { basePath: string; handle: ApiHandler; assets: Assets; paths: readonly string[] }
