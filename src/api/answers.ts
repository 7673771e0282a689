// How endpoints answer: with what they have read, or with the response of an operation that changes data.

import { hash } from 'node:crypto'
import { type ParsedUrlQuery, stringify } from 'node:querystring'
import { signCursor, verifyCursor } from '../domain/lists/list-page.ts'
import { newChangeSet } from '../domain/records/changes.ts'
import { isRefusal, type Refusal, refusalOf, type StoredResponse, tagOf } from '../engine/responses/stored-response.ts'
import type { ApiCall } from '../http/api-handler.ts'
import type { BodyReader } from '../http/body-reader.ts'
import { isKnown } from '../http/headers.ts'
import type { Upload } from '../http/upload.ts'
import { hideKeys } from '../lib/text.ts'
import { insufficientScope, requireReplayScopes, scopesNeeded } from './checks.ts'
import type { Answer, ApiRequest, ChangingEndpoint, Endpoint } from './endpoint.ts'
import { parseBody, readIdempotencyKey } from './parse-request.ts'

/** Returns 304 if the client already has this version (If-None-Match), otherwise 200 with the body. */
export function unlessNotModified(
  { call }: ApiRequest,
  etag: string,
  body: () => string,
  headers: Record<string, string> = {},
): Answer {
  const isUnchanged = isKnown(etag, call.headers['if-none-match'])
  return isUnchanged
    ? { status: 304, body: '', headers: { ...headers, etag } }
    : { status: 200, body: body(), headers: { ...headers, etag } }
}

/** Returns the answer with this value as JSON, whose ETag is that of the text. */
export function answerJson(request: ApiRequest, value: object, headers: Record<string, string> = {}): Answer {
  const text = JSON.stringify(value)
  return unlessNotModified(request, tagOf(text), () => text, headers)
}

/** Answers with a page of a list by id, whose cursor contains the id of the page's last entry. `entries`: at most
 *  `limit`, and one more if there is another page. */
export function answerPage<Entry extends { id: number }>(
  request: ApiRequest,
  limit: number,
  entries: readonly Entry[],
  toJson: (entry: Entry) => object = (entry) => entry,
): Answer {
  const data = entries.slice(0, limit)
  const isLast = entries.length <= limit
  const next = isLast ? null : signCursor(request.services.cursorKeys, listOf(request), data.at(-1)!.id)
  const page = { limit, has_more: next !== null, next_cursor: next }
  const headers = next === null ? {} : nextLink(request, { ...request.query, cursor: next })
  return answerJson(request, { data: data.map(toJson), page }, headers)
}

/** Returns the id after which the page begins; undefined without a cursor. Throws `invalid_request`. */
export function readPageStart(request: ApiRequest, cursor: string | undefined): number | undefined {
  return cursor === undefined ? undefined : verifyCursor(request.services.cursorKeys, listOf(request), cursor)
}

/** Identifies a list by id: the cursors of other lists are invalid. */
function listOf({ tenant, call, query }: ApiRequest): unknown[] {
  const { limit: _, cursor: __, ...filters } = query
  return [tenant.id, call.path, filters]
}

/** Returns the `Link` header with the URL of the next page. `query`: the query that selects the next page. */
export function nextLink({ call, services }: ApiRequest, query: ParsedUrlQuery): { link: string } {
  return { link: `<${services.location}${call.path}?${stringify(query)}>; rel="next"` }
}

/** `bulkBodies` reads bulk request bodies. */
export type MutationDependencies = { bodies: BodyReader; bulkBodies: BodyReader }

export async function answerChange(
  endpoint: Endpoint & ChangingEndpoint,
  request: ApiRequest,
  deps: MutationDependencies,
): Promise<Answer> {
  const key = readIdempotencyKey(request.call.headers)
  const { body, release } = await readBytes(endpoint, request, deps)
  try {
    if (endpoint.acceptsFile) return await applyToFile(endpoint, request, { key, body })
    return await applyWithKey(endpoint, request, { key, body, file: null })
  } finally {
    if (release) request.call.onClose(release)
  }
}

/** A function of its own, because `await using` would make every change about 5 % slower. */
async function applyToFile(
  endpoint: Endpoint & ChangingEndpoint,
  request: ApiRequest,
  keyedBody: { key: string | null; body: Buffer | null },
): Promise<Answer> {
  await using file = request.services.uploads.expect(request.call.body, request.tenant.id)
  return await applyWithKey(endpoint, request, { ...keyedBody, file })
}

/** `release`: call this once the body and the response are no longer needed. */
async function readBytes(
  { hasBody, isBulk }: ChangingEndpoint,
  { call, tenant }: ApiRequest,
  { bodies, bulkBodies }: MutationDependencies,
): Promise<{ body: Buffer | null; release?: () => void }> {
  if (!hasBody) return { body: Buffer.alloc(0) }
  return isBulk ? bulkBodies.readAndHold(call.body, tenant.id) : { body: await bodies.read(call.body, tenant.id) }
}

async function applyWithKey(
  endpoint: Endpoint & ChangingEndpoint,
  request: ApiRequest,
  { key, body, file }: { key: string | null; body: Buffer | null; file: Upload | null },
): Promise<Answer> {
  const { call, caller, tenant, services } = request
  const input = await readOrRefuse(endpoint, request, body, file)
  const now = services.now()
  const mutation = {
    context: {
      now: now.toISOString(),
      actor: { apiKeyId: caller.id },
      requestId: hideKeys(call.id),
      changeSet: newChangeSet(now),
    },
    idempotency:
      key === null
        ? null
        : {
            key,
            reuse: services.config.IDEMPOTENCY_REUSE,
            fingerprint: fingerprint(call, file?.digest() ?? body ?? ''),
            scopes: scopesOfMutation(endpoint, request, input),
          },
    request: input,
  }
  // The types cannot express that `read` returns the input of this endpoint's operation.
  const run = () => services.engine.run(tenant, endpoint.operation, mutation as never)
  const response = await (endpoint.schedulesJobs ? services.jobs.schedule(tenant, run) : run())
  if (response.missingScopes) throw insufficientScope(caller, response.missingScopes)
  if (response.replay) requireReplayScopes(caller, response.replay)
  if (endpoint.afterChange && !isRefusal(input)) await endpoint.afterChange(request, input, response)
  return toAnswer(response)
}

/** Returns invalid input as a refusal instead of throwing. If the Idempotency-Key has been used before, the operation
 *  then returns the stored response even if the query or the body is invalid. */
async function readOrRefuse(
  endpoint: ChangingEndpoint,
  request: ApiRequest,
  body: Buffer | null,
  file: Upload | null,
): Promise<object | Refusal> {
  try {
    return await endpoint.read(
      request,
      () => parseBody(request.call.headers, { bytes: body, limitBytes: request.services.config.BODY_LIMIT_BYTES }),
      body,
      file,
    )
  } catch (error) {
    return refusalOf(error)
  }
}

/** Returns the scopes that the request requires, separated by spaces. */
function scopesOfMutation(endpoint: Endpoint & ChangingEndpoint, request: ApiRequest, input: object | Refusal): string {
  const inputScopes = isRefusal(input) ? [] : (endpoint.inputScopes?.(input) ?? [])
  const scopes = [...scopesNeeded(endpoint, request.query), ...inputScopes]
  return scopes.map(({ resource, action }) => `${resource}:${action}`).join(' ')
}

/** Two requests with the same Idempotency-Key are the same request if their fingerprints are equal. */
function fingerprint(call: ApiCall, body: Buffer | string): string {
  const head = Buffer.from(`${call.method} ${call.path}?${call.search}\n`)
  return hash('sha256', Buffer.concat([head, Buffer.from(body)]), 'base64url')
}

function toAnswer({ status, body, location, changeSet, etag, replay }: StoredResponse): Answer {
  const headers: Record<string, string> = {}
  if (changeSet !== null) headers['change-set'] = changeSet
  if (location !== null) headers.location = location
  if (etag !== undefined) headers.etag = etag
  if (replay) headers['idempotent-replayed'] = 'true'
  if (replay && !replay.isSameRequest) headers['idempotency-mismatch'] = 'true'
  return { status, body, headers }
}
