// What a request says: the id in its query, its Idempotency-Key, its body. Refusals follow contract §6 and §10.

import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { type ParsedUrlQuery, parse } from 'node:querystring'
import type { Readable } from 'node:stream'
import { invalidRequest, Problem } from '../problem.ts'
import { exceededLimit, type JsonLimits } from './json-scan.ts'

/** A request as HTTP delivers it; `path` is relative to the base, `search` is what follows the `?`. */
export type ApiCall = {
  id: string
  method: string
  path: string
  search: string
  headers: IncomingHttpHeaders
  body: Readable
}

/** The parameters of a query string, however many there are. */
export function readQuery(search: string): ParsedUrlQuery {
  return parse(search, undefined, undefined, { maxKeys: 0 })
}

/** The id in `?id=N`; undefined when the parameter is absent. Throws `missing_id` when it is empty, `invalid_request`
 *  when it is no integer. An integer that no id can be is given as 0, which no record has. */
export function readId(query: ParsedUrlQuery): number | undefined {
  const given = query.id
  if (given === undefined) return undefined
  if (Array.isArray(given)) throw invalidRequest('id is given more than once; give it once, as ?id=7.')
  if (given === '') throw new Problem('missing_id')
  if (!/^-?\d+$/.test(given)) {
    throw invalidRequest(`id must be an integer such as ?id=7, not ${JSON.stringify(given.slice(0, 40))}.`)
  }
  const id = Number(given)
  return Number.isSafeInteger(id) && id > 0 ? id : 0
}

/** As readId, where the id is required (§4.1). */
export function requireId(query: ParsedUrlQuery): number {
  const id = readId(query)
  if (id === undefined) throw new Problem('missing_id')
  return id
}

/** The UUID of the Idempotency-Key in lower case and without quotes; null when there is no such header. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | null {
  const given = headers['idempotency-key']
  if (given === undefined) return null
  const uuid = /^("?)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\1$/i.exec(String(given))
  if (!uuid) {
    throw invalidRequest('Idempotency-Key must be a UUID such as 0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b.')
  }
  return uuid[2]!.toLowerCase()
}

/** A record has about 30 fields, and all of them together less than 30 KB: what exceeds these limits is none, and would hold up
 *  the main thread while it is parsed. */
export const recordLimits: JsonLimits = { scannedFrom: 65_536, nesting: 32, members: 200 }

/** The JSON object of a body (§4.4). Throws `payload_too_large`, `invalid_json`, `invalid_request`. */
export function parseBody(headers: IncomingHttpHeaders, body: Buffer | null, limits = recordLimits): object {
  if (body === null) throw new Problem('payload_too_large')
  requireNoEncoding(headers['content-encoding'])
  requireWithin(limits, body)
  const value = parseJson(body)
  const contentType = headers['content-type']
  if (contentType !== undefined && !isJsonType(contentType)) {
    throw invalidRequest('Content-Type must be application/json.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest('The body must be a JSON object such as {"name": "value"}.')
  }
  return value
}

function requireNoEncoding(contentEncoding = ''): void {
  if (['', 'identity'].includes(contentEncoding.trim().toLowerCase())) return
  throw invalidRequest('Content-Encoding must be left out: bodies are read as they are, not decompressed.')
}

function requireWithin(limits: JsonLimits, body: Buffer): void {
  const exceeded = exceededLimit(body, limits)
  if (exceeded === null) return
  const most = {
    nesting: `be nested at most ${limits.nesting} levels deep`,
    members: `have at most ${limits.members} members, those of all its objects and arrays together`,
  }
  throw invalidRequest(`A body of more than ${limits.scannedFrom} bytes may ${most[exceeded]}.`)
}

/** `application/json` and the types of its family (`+json`), with any parameters; the text is UTF-8 in any case. */
function isJsonType(contentType: string): boolean {
  return /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;[^,]*)?$/i.test(contentType)
}

function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Problem('invalid_json', { message: 'The body is not valid JSON: it is not UTF-8.' })
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new Problem('invalid_json')
  }
}
