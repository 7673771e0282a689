// Parses a request's query, headers and body. Errors follow contract §6 and §10.

import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { type ParsedUrlQuery, parse, unescape as unescapeLeniently } from 'node:querystring'
import { byId, externalIdField, type RecordKey, type Resource } from '../domain/declarations/resource.ts'
import { allowedList, type Handling, noSuchParameter, quote } from '../domain/fields/unknown-names.ts'
import { requireOnce } from '../domain/lists/request/request.ts'
import { cleanText, readUuid } from '../lib/text.ts'
import { invalidRequest, Problem } from '../problem.ts'
import type { JsonObject } from './endpoint.ts'
import { exceededLimit, type JsonLimits } from './json-scan.ts'
import { findSyntaxError, type JsonError, lineAndColumn } from './json-syntax.ts'

/** Parses a query string without Node's default limit of 1,000 parameters. */
export function readQuery(search: string): ParsedUrlQuery {
  return parse(search, undefined, undefined, search.includes('%') ? queryOptions : { maxKeys: 0 })
}

const queryOptions = { maxKeys: 0, decodeURIComponent: decode }

/** Node would replace bytes that are not UTF-8 with U+FFFD, so that different texts become equal. Here they become
 *  unpaired surrogates, which no text may contain. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return unescapeLeniently(text).replaceAll('\uFFFD', '\uD800') // a lone % stays as it is
  }
}

/** Returns the id in `?id=N`, or undefined if the parameter is absent. Returns 0, which is never a record's id, for an
 *  integer outside the range of ids. Throws `missing_id` if the parameter is empty, and `invalid_request` if it is
 *  repeated or not an integer. */
export function readOptionalId(query: ParsedUrlQuery): number | undefined {
  const parameter = query.id
  if (parameter === undefined) return undefined
  if (Array.isArray(parameter)) throw invalidRequest('id is given more than once; give it once, as ?id=7.')
  if (parameter === '') throw new Problem('missing_id')
  if (!/^-?\d+$/.test(parameter)) {
    throw invalidRequest(`id must be an integer such as ?id=7, not ${JSON.stringify(parameter.slice(0, 40))}.`)
  }
  const id = Number(parameter)
  return Number.isSafeInteger(id) && id > 0 ? id : 0
}

/** Returns the key in `?id=N` or `?external_id=X`; undefined if both are absent. Throws the errors of readOptionalId,
 *  and `invalid_request` if both are present or the external id is invalid (contract §14). */
export function readKey(query: ParsedUrlQuery, { fields }: Resource): RecordKey | undefined {
  const parameter = externalIdField in fields ? query[externalIdField] : undefined
  if (parameter === undefined) {
    const id = readOptionalId(query)
    return id === undefined ? undefined : byId(id)
  }
  if (query.id !== undefined) throw invalidRequest('Give either id or external_id, not both.')
  if (Array.isArray(parameter)) {
    throw invalidRequest('external_id is given more than once; give it once, as ?external_id=hr-7.')
  }
  const value = cleanText(parameter)
  if (value === '') throw invalidRequest('external_id is empty; give it a value, as ?external_id=hr-7.')
  if (value.includes('\0') || !value.isWellFormed()) {
    throw invalidRequest('external_id must be text without U+0000, in UTF-8.')
  }
  return { column: externalIdField, value }
}

/** Like readKey, but throws `missing_id` if neither parameter is given (§4.1). */
export function requireRecordKey(query: ParsedUrlQuery, resource: Resource): RecordKey {
  const key = readKey(query, resource)
  if (!key) throw new Problem('missing_id')
  return key
}

/** Like readOptionalId, but throws `missing_id` if the parameter is absent (§4.1). */
export function requireId(query: ParsedUrlQuery): number {
  const id = readOptionalId(query)
  if (id === undefined) throw new Problem('missing_id')
  return id
}

/** Returns a query's parameters by name. Throws `invalid_request` for unknown and repeated parameters. `allowed`: the
 *  end of the message about an unknown one. */
export function readParameters(
  query: ParsedUrlQuery,
  names: readonly string[],
  allowed?: string,
): Record<string, string | undefined> {
  const unknown = Object.keys(query).find((name) => !names.includes(name))
  if (unknown !== undefined) throw noSuchParameter(unknown, names, allowed)
  return requireOnce(query)
}

/** Returns one of the words. Throws `invalid_request` for any other text. */
export function readWord<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const knownWord = words.find((word) => word === text)
  if (knownWord === undefined) throw invalidRequest(`${name} does not take ${quote(text)}; ${allowedList(words)}`)
  return knownWord
}

/** Returns the UUID of the Idempotency-Key in lower case and without quotation marks, or null if the header is
 *  absent. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | null {
  const header = headers['idempotency-key']
  if (header === undefined) return null
  const uuid = readUuid(String(header).replace(/^"(.*)"$/, '$1'))
  if (!uuid) {
    throw invalidRequest('Idempotency-Key must be a UUID such as 0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b.')
  }
  return uuid
}

/** Returns `strict` if unknown fields are to be rejected (`Prefer: handling=strict`, RFC 7240 §2 and §4.4). Only the
 *  first `handling` in the header is used; other preferences and other values are ignored. */
export function readHandling(headers: IncomingHttpHeaders): Handling {
  if (headers.prefer === undefined) return 'lenient'
  const preferences = String(headers.prefer).match(/(?:"(?:\\.|[^"\\])*"?|[^",])+/g) ?? []
  const first = preferences.find((preference) => /^\s*handling\s*(?:[=;]|$)/i.test(preference)) ?? ''
  return /^\s*handling\s*=\s*("?)strict\1\s*(?:;|$)/i.test(first) ? 'strict' : 'lenient'
}

/** A record has about 30 fields and less than 30 KB. A body beyond these limits cannot be a record, and parsing it
 *  would block the main thread. */
export const recordLimits: JsonLimits = { scannedFrom: 65_536, nesting: 32, members: 200 }

/** `bytes`: null if the body is larger than `limitBytes`. */
export type Body = { bytes: Buffer | null; limitBytes: number }

/** Returns the JSON object in a body (§4.4). Throws `payload_too_large`, `invalid_json` or `invalid_request`. */
export function parseBody(headers: IncomingHttpHeaders, body: Body): JsonObject {
  const bytes = requireBytes(headers, body)
  requireWithin(recordLimits, bytes)
  requireUtf8(bytes)
  const value = parseJson(bytes.toString())
  requireJsonType(headers)
  return requireObject(value)
}

/** Returns the body without a byte order mark, which RFC 8259 (§8.1) allows to ignore. Throws `payload_too_large`, and
 *  `invalid_request` for a compressed body. */
export function requireBytes(headers: IncomingHttpHeaders, { bytes, limitBytes }: Body): Buffer {
  if (bytes === null) throw tooLarge('The body', limitBytes)
  requireNoEncoding(headers['content-encoding'])
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

export function tooLarge(subject: string, limitBytes: number): Problem {
  return new Problem('payload_too_large', {
    message: `${subject} is larger than ${limitBytes} bytes, which is the limit.`,
  })
}

export function requireUtf8(body: Buffer): void {
  if (isUtf8(body)) return
  const text = body.toString()
  throw invalidJson(text, { position: text.indexOf('\ufffd'), reason: 'it is not UTF-8' })
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const search = findSyntaxError(text)
    let step = search.next()
    while (!step.done) step = search.next()
    throw invalidJson(text, step.value)
  }
}

export function invalidJson(text: string, error: JsonError | null): Problem {
  if (!error) return new Problem('invalid_json')
  const message = `The body is not valid JSON at ${lineAndColumn(text, error.position)}: ${error.reason}.`
  return new Problem('invalid_json', { message })
}

/** A body without a Content-Type is treated as JSON. */
export function requireJsonType(headers: IncomingHttpHeaders): void {
  const contentType = headers['content-type']
  if (contentType !== undefined && !isJsonType(contentType)) {
    throw invalidRequest('Content-Type must be application/json.')
  }
}

export function requireObject(value: unknown): JsonObject {
  if (isObject(value)) return value
  throw invalidRequest('The body must be a JSON object such as {"name": "value"}.')
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Throws `invalid_request` for compressed bodies. */
export function requireNoEncoding(contentEncoding = ''): void {
  if (['', 'identity'].includes(contentEncoding.trim().toLowerCase())) return
  throw invalidRequest('Content-Encoding must be left out: bodies are read as they are, not decompressed.')
}

function requireWithin(limits: JsonLimits, body: Buffer): void {
  const exceeded = body.length > limits.scannedFrom && exceededLimit(body, limits)
  if (!exceeded) return
  const rules = {
    nesting: `be nested at most ${limits.nesting} levels deep`,
    members: `have at most ${limits.members} members in total, across all its objects and arrays`,
  }
  throw invalidRequest(`A body of more than ${limits.scannedFrom} bytes may ${rules[exceeded]}.`)
}

/** Accepts `application/json` and `+json` types with any parameters. The charset is ignored, because the body must be
 *  UTF-8. */
function isJsonType(contentType: string): boolean {
  return /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;[^,]*)?$/i.test(contentType)
}
