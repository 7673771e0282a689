// Idempotency-Key (§4.5, contract §10): the response is stored in the same transaction as the change. A repeated
// request receives the stored response.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { Problem } from '../../problem.ts'
import type { Database, Value } from '../database/database.ts'
import { setCounter } from '../database/statements.ts'
import { type StoredRequest, type StoredResponse, tagOfRecord, toStoredResponse } from './stored-response.ts'

/** A request's use of a key. `fingerprint` distinguishes a repeated request from a different one. `reuse`: how to
 *  answer a different request with the same key. `scopes`: the scopes that the request requires, such as
 *  `customers:create`, separated by spaces. They are stored with the response. */
export type IdempotencyKeyUse = { key: string; fingerprint: string; scopes: string; reuse: 'replay' | 'reject' }

/** A stored response that is returned instead of running the request. */
export type ReplayedResponse = StoredResponse & { replay: StoredRequest }

/** A precondition of a write, such as the claim of an Idempotency-Key. Statements can be sent before it is known
 *  whether the precondition holds. */
export type WritePrecondition = {
  /** A WHERE condition that is true if the precondition holds. */
  sql: string
  values: Value[]
  /** Waits for the result. Throws WritePreconditionUnmet if the precondition does not hold. */
  require(): Promise<void>
}

/** No precondition: there is no Idempotency-Key, or its claim was already checked. */
export const noPrecondition: WritePrecondition = { sql: 'true', values: [], require: async () => {} }

/** Thrown if the precondition of a write does not hold. Nothing was written. */
export class WritePreconditionUnmet extends Error {}

/** A key that is claimed for a request. `seq`: the number of its row. */
export type ClaimedKey = { seq: number; use: IdempotencyKeyUse }

/** The result of claiming a key: the claim, or the response already stored for the key. */
export type KeyClaim = ClaimedKey | { stored: ReplayedResponse }

/** A claim that has been sent to the database. `precondition`: lets a write take effect only if the claim succeeds. */
export type PendingClaim = { precondition: WritePrecondition; result: Promise<KeyClaim> }

/** How long a key's response is replayed (§8). */
const windowMs = 24 * 60 * 60 * 1000

/** After every `cleanupInterval` stored responses, up to `cleanupLimit` expired ones are deleted. This is more than
 *  were added since the last cleanup. */
const cleanupInterval = 100
const cleanupLimit = 1000

/** The response to a bulk request can be several megabytes long, so each response of at least `largeBytes` also
 *  triggers a cleanup. A cleanup stops after `cleanupBytes`, because deleting 4 MB already takes the tenant's writer a
 *  few milliseconds. */
const largeBytes = 100_000
const cleanupBytes = 4 * 2 ** 20

/** Claims a key without waiting for the result. On PostgreSQL, the claim and the change that depends on it can then be
 *  sent together:
 *
 *      insert into stored_responses (seq, key, at, fingerprint, scopes, status, body)
 *      select last + 1, 'k1', …, 0, '' from counters where name = 'stored_responses'
 *      on conflict (key) do nothing returning seq;
 *
 *      insert into customers (id, name, …)
 *      select last + 1, 'Acme', … from counters where name = 'customers'
 *        and exists (select 1 from stored_responses where key = 'k1' and status = 0) returning id
 *
 *  A row without a response (`status = 0`) is visible only to the transaction that claimed it. A concurrent transaction
 *  that claims the same key waits until this transaction ends, and then finds the stored response.
 *
 *  On SQLite a claim only reads, because each statement ends before the next one begins, and a tenant's writes run one
 *  after another. The row is inserted together with the response, so that it is written once. */
export function claimKey(database: Database, use: IdempotencyKeyUse, now: string): PendingClaim {
  const result = claim(database, use, now)
  result.catch(() => {}) // handled where `result` is awaited
  return {
    result,
    precondition: {
      sql: 'exists (select 1 from stored_responses where key = ? and status = 0)',
      values: [use.key],
      async require() {
        if ('stored' in (await result)) throw new WritePreconditionUnmet('the Idempotency-Key has a stored response')
      },
    },
  }
}

const claimSql = {
  sqlite: `
    select last + 1 as seq from counters where name = 'stored_responses'
      and not exists (select 1 from stored_responses where key = ?)`,
  postgres: `
    insert into stored_responses (seq, key, at, fingerprint, scopes, status, body)
    select last + 1, ?, ?, ?, ?, 0, '' from counters where name = 'stored_responses'
    on conflict (key) do nothing returning seq`,
} as const satisfies Record<Database['engine'], string>

async function claim(database: Database, use: IdempotencyKeyUse, now: string): Promise<KeyClaim> {
  const { key, fingerprint, scopes } = use
  const values = database.engine === 'sqlite' ? [key] : [key, now, fingerprint, scopes]
  for (;;) {
    const row = await database.get<{ seq: number }>(claimSql[database.engine], values)
    if (row) return { seq: row.seq, use }
    const stored = await storedResponse(database, use, now)
    if (stored) return { stored }
  }
}

type StoredRow = {
  seq: number
  at: string
  fingerprint: string
  scopes: string | null
  status: number
  body: string
  location: string | null
  change_set: string | null
}

/** Returns the response stored for the key. If that response has expired, releases the key instead. */
async function storedResponse(
  database: Database,
  use: IdempotencyKeyUse,
  now: string,
): Promise<ReplayedResponse | undefined> {
  const sql =
    'select seq, at, fingerprint, scopes, status, body, location, change_set from stored_responses where key = ?'
  const row = await database.get<StoredRow>(sql, [use.key])
  if (!row) return undefined
  if (row.at <= windowStart(now)) {
    await releaseKey(database, row.seq)
    return undefined
  }
  const { status, body, location, scopes, fingerprint, change_set } = row
  const replay = { scopes, isSameRequest: fingerprint === use.fingerprint }
  return { status, body: unpackText(body), location, changeSet: change_set, replay }
}

const storeSql = {
  sqlite: `insert into stored_responses (status, body, location, change_set, scopes, key, at, fingerprint, seq)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  postgres: 'update stored_responses set status = ?, body = ?, location = ?, change_set = ?, scopes = ? where seq = ?',
} as const satisfies Record<Database['engine'], string>

/** Stores the response in the claimed key's row, and from time to time deletes expired responses. */
export async function storeResponse(
  database: Database,
  { seq, use }: ClaimedKey,
  now: string,
  response: StoredResponse,
): Promise<void> {
  const { status, body, location, changeSet, furtherScopes = [] } = response
  const scopes = [response.scopes ?? use.scopes, ...furtherScopes].join(' ')
  const claimed = database.engine === 'sqlite' ? [use.key, now, use.fingerprint] : []
  const values = [status, packText(body), location, changeSet, scopes, ...claimed, seq]
  database.runDeferred(storeSql[database.engine], values)
  setCounter(database, 'stored_responses', seq)
  if (seq % cleanupInterval === 0 || body.length >= largeBytes) await deleteExpiredResponses(database, now)
}

/** Releases the key, so that a retry runs the request. On SQLite, a key without a response has no row. */
export async function releaseKey(database: Database, seq: number): Promise<void> {
  await database.run('delete from stored_responses where seq = ?', [seq])
}

/** Deletes expired responses, the oldest (with the lowest `seq`) first. If even the oldest has not expired, the others
 *  are not read, because adding up their sizes takes as long as five creates. */
async function deleteExpiredResponses(database: Database, now: string): Promise<void> {
  const expiredBy = windowStart(now)
  const oldest = await database.get<{ at: string }>('select at from stored_responses order by seq limit 1')
  if (!oldest || oldest.at > expiredBy) return
  const sizes = `select seq, octet_length(body) as bytes from stored_responses order by seq limit ${cleanupLimit}`
  const summed = `select seq, sum(bytes) over (order by seq) - bytes as bytes_before from (${sizes}) sizes`
  database.runDeferred(
    `delete from stored_responses where seq in (select seq from (${summed}) summed where bytes_before < ?) and at <= ?`,
    [cleanupBytes, expiredBy],
  )
}

function windowStart(now: string): string {
  return new Date(Date.parse(now) - windowMs).toISOString()
}

/** Computes a replayed response's entity tag, since tags are not stored. */
export type TagOfResponse = (body: string, changeSet: string | null) => string | undefined

/** Returns the stored response, or an error if the request differs from the stored one and `reuse` is `reject`. */
export function replay(
  stored: ReplayedResponse,
  reuse: IdempotencyKeyUse['reuse'],
  tagOfResponse: TagOfResponse,
): StoredResponse {
  if (!stored.replay.isSameRequest && reuse === 'reject') return toStoredResponse(new Problem('idempotency_key_reused'))
  const etag = tagOfResponse(stored.body, stored.changeSet)
  return etag === undefined ? stored : { ...stored, etag }
}

export function tagOfRecordBody(body: string): string | undefined {
  if (!body.startsWith('{"id":')) return undefined // the results of a bulk request, for example
  const { updated_at: updatedAt } = JSON.parse(body)
  return updatedAt === undefined ? undefined : tagOfRecord({ json: body, updatedAt })
}

/** Long texts are compressed before they are stored, because the response to a bulk request repeats the same field
 *  names a thousand times. This happens within the operation's transaction, so it must be fast: zstd at its lowest
 *  level takes 2 ms for a megabyte. Compressing a record's 600 bytes would add 0.1 ms to each write. */
const maxPlainLength = 4096

/** No JSON text begins with this prefix. */
export const packedPrefix = 'zstd:'

const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export function packText(text: string): string {
  if (text.length <= maxPlainLength) return text
  return packedPrefix + zstdCompressSync(text, options).toString('base64')
}

export function unpackText(stored: string): string {
  if (!stored.startsWith(packedPrefix)) return stored
  return zstdDecompressSync(Buffer.from(stored.slice(packedPrefix.length), 'base64')).toString()
}
