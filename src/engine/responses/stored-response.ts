// The response to a change, as stored under the request's Idempotency-Key; requests that are refused before their
// operation runs; and entity tags (contract §8, RFC 9110 §8.8.3), which identify the state of a record or a list.

import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { envelope, Problem, problems } from '../../problem.ts'

/** Status, JSON body, URL of a new record, the change set (null if nothing changed), and the record's entity tag. */
export type StoredResponse = {
  status: number
  body: string
  location: string | null
  changeSet: string | null
  etag?: string
  /** The scopes that the request requires, if they depend on the tenant's data. */
  scopes?: string
  /** The scopes that the operation needed besides those that were known before it ran. */
  furtherScopes?: readonly string[]
  replay?: StoredRequest
  /** The scopes that the API key lacks, if the operation refused the request for this reason. */
  missingScopes?: readonly string[]
}

/** The request whose stored response is replayed. `scopes`: the scopes that the request required; null for responses
 *  stored before scopes were recorded. `isSameRequest`: whether the new request is identical to the original one. */
export type StoredRequest = { scopes: string | null; isSameRequest: boolean }

export function toStoredResponse(problem: Problem): StoredResponse {
  const { status, missingScopes } = problem
  const response = { status, body: envelope(problem), location: null, changeSet: null }
  return missingScopes.length > 0 ? { ...response, missingScopes } : response
}

/** Takes the place of the rejected request. If the request's Idempotency-Key was already used, the stored response is
 *  returned instead. `isStored`: whether `response` is stored for a new key. */
export type Refusal = { action: 'refuse'; response: StoredResponse; isStored: boolean }

/** Returns the refusal of a request that failed with a problem. Rethrows every other error. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Problem)) throw error
  return { action: 'refuse', response: toStoredResponse(error), isStored: problems[error.code].isStored }
}

export function isRefusal(request: object): request is Refusal {
  return 'action' in request && request.action === 'refuse'
}

/** A record as JSON text, with its entity tag. */
export type TaggedRecord = { body: string; etag: string }

export function tagOf(text: string): string {
  return `"${hash('sha1', text, 'base64url')}"`
}

/** Returns the tag of a list and its metadata. The list and the metadata are hashed separately, because concatenating
 *  them would copy the list's text. */
export function tagOfList(data: string, metadata: readonly unknown[]): string {
  return `"${hash('sha1', data, 'base64url')}-${crc32(JSON.stringify(metadata))}"`
}

/** Returns the record's tag without its included records, which these members contain, followed by a dot and a tag of
 *  the record with them. */
export function tagWithIncludes(body: string, members: readonly string[]): string {
  const record = JSON.parse(body)
  for (const member of members) delete record[member]
  return `${tagRecord(record).etag.slice(0, -1)}.${tagOf(body).slice(1)}`
}

export function tagRecord(record: Record<string, unknown>): TaggedRecord {
  const json = JSON.stringify(record)
  return { body: json, etag: tagOfRecord({ json, updatedAt: String(record.updated_at) }) }
}

/** The tag consists of the time of the record's last change and a checksum, which distinguishes changes made within the
 *  same millisecond. */
export function tagOfRecord({ json, updatedAt }: { json: string; updatedAt: string }): string {
  return `"${Date.parse(updatedAt)}-${crc32(json)}"`
}

/** Like requireMatch, for a response that never includes other records. */
export function requireTag(ifMatch: string | null, etag: string): void {
  const tags = tagsOf(ifMatch)
  if (tags && !tags.includes(etag)) throw noMatch(tags)
}

/** Checks If-Match (RFC 9110 §13.1.1). `*` matches any state; otherwise the header must list the record's current tag,
 *  ignoring included records. Throws `precondition_failed`. */
export function requireMatch(ifMatch: string | null, record: Record<string, unknown>): void {
  const tags = tagsOf(ifMatch)
  if (!tags) return
  const { etag } = tagRecord(record)
  if (!tags.some((tag) => tag.replace(/\.[^.]*"$/, '"') === etag)) throw noMatch(tags)
}

/** Returns the tags in If-Match, or null if the header is absent or `*`. The mark of a weak tag is removed, because a
 *  proxy that compresses a response weakens the response's tag (contract §27). */
function tagsOf(ifMatch: string | null): string[] | null {
  if (ifMatch === null || ifMatch.trim() === '*') return null
  return ifMatch.split(',').map((tag) => tag.trim().replace(/^W\/(?=")/, ''))
}

function noMatch(tags: string[]): Problem {
  if (tags.every((tag) => /^".*"$/.test(tag))) return new Problem('precondition_failed')
  const message = 'If-Match must be *, or ETags with their quotation marks, such as "1767225600000-3735928559".'
  return new Problem('precondition_failed', { message })
}
