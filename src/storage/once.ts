// Idempotency-Key (§4.5, contract §10): the first answer is kept beside the change, in its transaction, and replayed.

import type { Database } from '../database.ts'
import { Problem } from '../problem.ts'
import type { Answer } from './operations.ts'

/** A caller's key. `fingerprint` tells a repeated request from a different one; `reuse` says what the latter gets. */
export type Once = { key: string; fingerprint: string; reuse: 'replay' | 'reject' }

/** A key that this transaction will answer for; `seq` is its row. */
export type Claim = { seq: number }

/** 24 hours (§8). */
const windowMilliseconds = 24 * 60 * 60 * 1000

/** Answers are removed this many at a time, each time this many have been kept: old ones go faster than new ones come. */
const tidyEvery = 100
const tidyAtMost = 1000

/** Claims the key for this transaction, or finds the answer it has got within the window. Another transaction with the same
 *  key waits at the claim until this one has ended. Throws `idempotency_key_reused` where reuse is rejected. */
export async function claimKey(database: Database, once: Once, now: string): Promise<Claim | Answer> {
  const claim = await insertClaim(database, once, now)
  if (claim) return claim
  const sql = 'select seq, at, fingerprint, status, body, location from answers where key = ?'
  const kept = await database.get(sql, [once.key])
  if (!kept || (kept.at as string) <= windowStart(now)) {
    if (kept) await releaseKey(database, { seq: kept.seq as number }) // it has outlived its window
    return claimKey(database, once, now)
  }
  if (once.reuse === 'reject' && kept.fingerprint !== once.fingerprint) throw new Problem('idempotency_key_reused')
  return {
    status: kept.status as number,
    body: kept.body as string,
    location: kept.location as string | null,
    isReplay: true,
  }
}

async function insertClaim(database: Database, once: Once, now: string): Promise<Claim | undefined> {
  const row = await database.get(
    `insert into answers (key, at, fingerprint, status, body) values (?, ?, ?, 0, '')
     on conflict (key) do nothing returning seq`,
    [once.key, now, once.fingerprint],
  )
  return row && { seq: row.seq as number }
}

/** Keeps the answer under the claimed key, and now and then forgets those whose window is over. */
export function keepAnswer(database: Database, claim: Claim, now: string, answer: Answer): void {
  const sql = 'update answers set status = ?, body = ?, location = ? where seq = ?'
  database.later(sql, [answer.status, answer.body, answer.location, claim.seq])
  if (claim.seq % tidyEvery === 0) forgetOldAnswers(database, now)
}

/** Gives the key up: a retry runs. */
export async function releaseKey(database: Database, claim: Claim): Promise<void> {
  await database.run('delete from answers where seq = ?', [claim.seq])
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
