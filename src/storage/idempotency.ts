// Idempotency-Key (§4.5, contract §10): the first response is stored in the transaction of the change, and replayed.

import type { Database } from '../database/database.ts'
import type { WritePrecondition } from '../resources/records/records.ts'
import { setCounter } from '../resources/schema/counters.ts'
import type { StoredRequest, StoredResponse } from './stored-response.ts'

/** The use of a key by a request. `fingerprint` tells a repeated request from a different one; `reuse` decides what a
 *  different one gets. `scopes`: the scopes the request needs, such as `customers:create`, separated by spaces;
 *  stored with the response. */
export type IdempotencyKeyUse = { key: string; fingerprint: string; scopes: string; reuse: 'replay' | 'reject' }

/** A key claimed by this transaction, and the precondition that its claim succeeded. */
export type KeyClaim = { precondition: WritePrecondition; seq(): Promise<number> }

/** Thrown instead of applying a change a second time: the key already has a response. */
export class ReplayedResponse extends Error {
  readonly response: StoredResponse & { replay: StoredRequest }

  constructor(response: StoredResponse & { replay: StoredRequest }) {
    super('the Idempotency-Key has an answer')
    this.response = response
  }
}

/** How long a key's response is stored (§8). */
const windowMs = 24 * 60 * 60 * 1000

/** After every `cleanupInterval` stored responses, up to `cleanupLimit` expired ones are deleted: faster than new
 *  ones arrive. */
const cleanupInterval = 100
const cleanupLimit = 1000

/** No precondition: the request has no Idempotency-Key. */
export const noPrecondition: WritePrecondition = { condition: 'true', values: [], settle: async () => {} }

/** Claims a key without waiting for the result. A concurrent transaction that claims the same key blocks until this
 *  one ends; then its precondition throws ReplayedResponse. */
export function claimKey(database: Database, use: IdempotencyKeyUse, now: string): KeyClaim {
  const seq = claim(database, use, now)
  seq.catch(() => {}) // reported to the caller of settle()
  return {
    seq: () => seq,
    precondition: {
      condition: 'exists (select 1 from answers where key = ? and status = 0)', // a row without a response is visible only to the transaction that claimed it
      values: [use.key],
      settle: async () => void (await seq),
    },
  }
}

const insert = `
  insert into answers (seq, key, at, fingerprint, scopes, status, body)
  select last + 1, ?, ?, ?, ?, 0, '' from counters where name = 'answers'
  on conflict (key) do nothing returning seq`

/** Returns the number of the claimed key's row. */
async function claim(database: Database, use: IdempotencyKeyUse, now: string): Promise<number> {
  const claimed = await insertClaim(database, use, now)
  if (claimed !== undefined) return claimed
  const sql = 'select seq, at, fingerprint, scopes, status, body, location from answers where key = ?'
  const stored = await database.get(sql, [use.key])
  if (!stored || (stored.at as string) <= windowStart(now)) {
    if (stored) await releaseKey(database, stored.seq as number) // it has expired
    return claim(database, use, now)
  }
  const { status, body, location, scopes, fingerprint } = stored
  const replay = { scopes, isSameRequest: fingerprint === use.fingerprint }
  throw new ReplayedResponse({ status, body, location, replay } as ReplayedResponse['response'])
}

async function insertClaim(database: Database, use: IdempotencyKeyUse, now: string): Promise<number | undefined> {
  const row = await database.get(insert, [use.key, now, use.fingerprint, use.scopes])
  return row?.seq as number | undefined
}

/** Stores the response in the row of the claimed key, and from time to time deletes expired ones. */
export function storeResponse(database: Database, seq: number, now: string, response: StoredResponse): void {
  const sql = 'update answers set status = ?, body = ?, location = ? where seq = ?'
  database.runDeferred(sql, [response.status, response.body, response.location, seq])
  setCounter(database, 'answers', seq)
  if (seq % cleanupInterval === 0) deleteExpiredResponses(database, now)
}

/** Releases the key, so that a retry runs the request. */
export async function releaseKey(database: Database, seq: number): Promise<void> {
  await database.run('delete from answers where seq = ?', [seq])
}

/** Ordered by seq, so oldest first. */
function deleteExpiredResponses(database: Database, now: string): void {
  database.runDeferred(
    `delete from answers where seq in (select seq from answers order by seq limit ${cleanupLimit}) and at <= ?`,
    [windowStart(now)],
  )
}

function windowStart(now: string): string {
  return new Date(Date.parse(now) - windowMs).toISOString()
}
