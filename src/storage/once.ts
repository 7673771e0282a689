// Idempotency-Key (§4.5, contract §10): the first answer is kept beside the change, in its transaction, and replayed.

import type { Database } from '../database.ts'
import { Problem } from '../problem.ts'
import type { Answer } from './operations.ts'

/** A caller's key. `fingerprint` tells a repeated request from a different one; `reuse` says what the latter gets. */
export type Once = { key: string; fingerprint: string; reuse: 'replay' | 'reject' }

/** 24 hours (§8). */
const windowMilliseconds = 24 * 60 * 60 * 1000

/** The answer kept for this key within the window, if any. Throws `idempotency_key_reused` where reuse is rejected. */
export async function findAnswer(database: Database, once: Once, now: string): Promise<Answer | undefined> {
  const sql = 'select fingerprint, status, body, location from answers where key = ? and at > ?'
  const kept = await database.get(sql, [once.key, windowStart(now)])
  if (!kept) return undefined
  if (once.reuse === 'reject' && kept.fingerprint !== once.fingerprint) throw new Problem('idempotency_key_reused')
  return {
    status: kept.status as number,
    body: kept.body as string,
    location: kept.location as string | null,
    isReplay: true,
  }
}

/** Keeps the answer; one for the same key that has outlived its window makes room. */
export async function keepAnswer(database: Database, once: Once, now: string, answer: Answer): Promise<void> {
  await database.run(
    `insert into answers (key, at, fingerprint, status, body, location) values (?, ?, ?, ?, ?, ?)
     on conflict (key) do update set at = excluded.at, fingerprint = excluded.fingerprint,
       status = excluded.status, body = excluded.body, location = excluded.location`,
    [once.key, now, once.fingerprint, answer.status, answer.body, answer.location],
  )
}

/** Removes answers whose window is over, a bounded number of the oldest at a time (seq follows time). */
export async function forgetOldAnswers(database: Database, now: string): Promise<void> {
  await database.run('delete from answers where seq in (select seq from answers order by seq limit 1000) and at <= ?', [
    windowStart(now),
  ])
}

function windowStart(now: string): string {
  return new Date(Date.parse(now) - windowMilliseconds).toISOString()
}
