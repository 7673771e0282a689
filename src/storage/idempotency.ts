// Idempotency-Key (§4.5, contract §10): the first answer is kept beside the change, in its transaction, and replayed.

import type { Database } from '../database/database.ts'
import type { WritePrecondition } from '../resources/records/records.ts'
import { setCounter } from '../resources/schema/counters.ts'
import type { StoredRequest, StoredResponse } from './stored-response.ts'

/** A caller's key. `fingerprint` tells a repeated request from a different one; `reuse` says what the latter gets. `scopes`: what
 *  the request needs, all of them, as `customers:create`, separated by spaces; kept with its response. */
export type IdempotencyKeyUse = { key: string; fingerprint: string; scopes: string; reuse: 'replay' | 'reject' }

/** A key that this transaction will answer for, once its permit is given. */
export type KeyClaim = { precondition: WritePrecondition; seq(): Promise<number> }

/** Thrown where a change was about to be made a second time: the key has got its response. */
export class ReplayedResponse extends Error {
  readonly response: StoredResponse & { replay: StoredRequest }

  constructor(response: StoredResponse & { replay: StoredRequest }) {
    super('the Idempotency-Key has an answer')
    this.response = response
  }
}

/** 24 hours (§8). */
const windowMilliseconds = 24 * 60 * 60 * 1000

/** Answers are removed this many at a time, each time this many have been kept: old ones go faster than new ones come. */
const tidyEvery = 100
const tidyAtMost = 1000

/** Leave for a change without a key. */
export const noPrecondition: WritePrecondition = { condition: 'true', values: [], settle: async () => {} }

/** Asks for the key, without waiting. A transaction that asks for the same key waits until this one has ended; then its
 *  permit throws AlreadyAnswered. */
export function claimKey(database: Database, use: IdempotencyKeyUse, now: string): KeyClaim {
  const seq = claim(database, use, now)
  seq.catch(() => {}) // whoever settles is told
  return {
    seq: () => seq,
    precondition: {
      condition: 'exists (select 1 from answers where key = ? and status = 0)', // only our own claim can be seen unanswered
      values: [use.key],
      settle: async () => void (await seq),
    },
  }
}

const insert = `
  insert into answers (seq, key, at, fingerprint, scopes, status, body)
  select last + 1, ?, ?, ?, ?, 0, '' from counters where name = 'answers'
  on conflict (key) do nothing returning seq`

/** The row of the claimed key. */
async function claim(database: Database, use: IdempotencyKeyUse, now: string): Promise<number> {
  const claimed = await insertClaim(database, use, now)
  if (claimed !== undefined) return claimed
  const sql = 'select seq, at, fingerprint, scopes, status, body, location from answers where key = ?'
  const stored = await database.get(sql, [use.key])
  if (!stored || (stored.at as string) <= windowStart(now)) {
    if (stored) await releaseKey(database, stored.seq as number) // it has outlived its window
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

/** Keeps the answer in the row of the claimed key, and now and then forgets those whose window is over. */
export function storeResponse(database: Database, seq: number, now: string, response: StoredResponse): void {
  const sql = 'update answers set status = ?, body = ?, location = ? where seq = ?'
  database.runDeferred(sql, [response.status, response.body, response.location, seq])
  setCounter(database, 'answers', seq)
  if (seq % tidyEvery === 0) deleteExpiredResponses(database, now)
}

/** Gives the key up: a retry runs. */
export async function releaseKey(database: Database, seq: number): Promise<void> {
  await database.run('delete from answers where seq = ?', [seq])
}

/** The oldest stand first, since seq follows time. */
function deleteExpiredResponses(database: Database, now: string): void {
  database.runDeferred(
    `delete from answers where seq in (select seq from answers order by seq limit ${tidyAtMost}) and at <= ?`,
    [windowStart(now)],
  )
}

function windowStart(now: string): string {
  return new Date(Date.parse(now) - windowMilliseconds).toISOString()
}
