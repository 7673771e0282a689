// Idempotency-Key (§4.5, contract §10): the first answer is kept beside the change, in its transaction, and replayed.

import type { Database } from '../database/database.ts'
import type { WritePrecondition } from '../resources/records/records.ts'
import { setCounter } from '../resources/schema/counters.ts'
import type { StoredRequest, StoredResponse } from './stored-response.ts'

/** A caller's key. `fingerprint` tells a repeated request from a different one; `reuse` says what the latter gets. `scopes`: what
 *  the request needs, all of them, as `customers:create`, separated by spaces; kept with its response. */
export type IdempotencyKeyUse = { key: string; fingerprint: string; scopes: string; reuse: 'replay' | 'reject' }

/** A key that this transaction will answer for, once its permit is given. */
export type KeyClaim = { permit: WritePrecondition; seq(): Promise<number> }

/** Thrown where a change was about to be made a second time: the key has got its answer. */
export class ReplayedResponse extends Error {
  readonly answer: StoredResponse & { replay: StoredRequest }

  constructor(answer: StoredResponse & { replay: StoredRequest }) {
    super('the Idempotency-Key has an answer')
    this.answer = answer
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
export function claimKey(database: Database, once: IdempotencyKeyUse, now: string): KeyClaim {
  const seq = claim(database, once, now)
  seq.catch(() => {}) // whoever settles is told
  return {
    seq: () => seq,
    permit: {
      condition: 'exists (select 1 from answers where key = ? and status = 0)', // only our own claim can be seen unanswered
      values: [once.key],
      settle: async () => void (await seq),
    },
  }
}

const insert = `
  insert into answers (seq, key, at, fingerprint, scopes, status, body)
  select last + 1, ?, ?, ?, ?, 0, '' from counters where name = 'answers'
  on conflict (key) do nothing returning seq`

/** The row of the claimed key. */
async function claim(database: Database, once: IdempotencyKeyUse, now: string): Promise<number> {
  const claimed = await insertClaim(database, once, now)
  if (claimed !== undefined) return claimed
  const sql = 'select seq, at, fingerprint, scopes, status, body, location from answers where key = ?'
  const kept = await database.get(sql, [once.key])
  if (!kept || (kept.at as string) <= windowStart(now)) {
    if (kept) await releaseKey(database, kept.seq as number) // it has outlived its window
    return claim(database, once, now)
  }
  const { status, body, location, scopes, fingerprint } = kept
  const replay = { scopes, isSameRequest: fingerprint === once.fingerprint }
  throw new ReplayedResponse({ status, body, location, replay } as ReplayedResponse['answer'])
}

async function insertClaim(database: Database, once: IdempotencyKeyUse, now: string): Promise<number | undefined> {
  const row = await database.get(insert, [once.key, now, once.fingerprint, once.scopes])
  return row?.seq as number | undefined
}

/** Keeps the answer in the row of the claimed key, and now and then forgets those whose window is over. */
export function keepAnswer(database: Database, seq: number, now: string, answer: StoredResponse): void {
  const sql = 'update answers set status = ?, body = ?, location = ? where seq = ?'
  database.later(sql, [answer.status, answer.body, answer.location, seq])
  setCounter(database, 'answers', seq)
  if (seq % tidyEvery === 0) forgetOldAnswers(database, now)
}

/** Gives the key up: a retry runs. */
export async function releaseKey(database: Database, seq: number): Promise<void> {
  await database.run('delete from answers where seq = ?', [seq])
}

/** The oldest stand first, since seq follows time. */
function forgetOldAnswers(database: Database, now: string): void {
  database.later(
    `delete from answers where seq in (select seq from answers order by seq limit ${tidyAtMost}) and at <= ?`,
    [windowStart(now)],
  )
}

function windowStart(now: string): string {
  return new Date(Date.parse(now) - windowMilliseconds).toISOString()
}
