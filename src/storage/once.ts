// Idempotency-Key (§4.5, contract §10): the first answer is kept beside the change, in its transaction, and replayed.

import type { Database } from '../database.ts'
import { Problem } from '../problem.ts'
import type { Answer } from './operations.ts'

/** A caller's key. `fingerprint` tells a repeated request from a different one; `reuse` says what the latter gets. */
export type Once = { key: string; fingerprint: string; reuse: 'replay' | 'reject' }

/** 24 hours (§8). */
const windowMilliseconds = 24 * 60 * 60 * 1000

/** Answers are removed this many at a time, each time this many have been kept: old ones go faster than new ones come. */
const tidyEvery = 100
const tidyAtMost = 1000

/** The answer kept for this key within the window, if any; one that has outlived it makes room. Throws
 *  `idempotency_key_reused` where reuse is rejected. */
export async function findAnswer(database: Database, once: Once, now: string): Promise<Answer | undefined> {
  const sql = 'select at, fingerprint, status, body, location from answers where key = ?'
  const kept = await database.get(sql, [once.key])
  if (!kept) return undefined
  if ((kept.at as string) <= windowStart(now)) {
    await database.run('delete from answers where key = ?', [once.key])
    return undefined
  }
  if (once.reuse === 'reject' && kept.fingerprint !== once.fingerprint) throw new Problem('idempotency_key_reused')
  return {
    status: kept.status as number,
    body: kept.body as string,
    location: kept.location as string | null,
    isReplay: true,
  }
}

/** Keeps the answer, and now and then forgets those whose window is over. */
export async function keepAnswer(database: Database, once: Once, now: string, answer: Answer): Promise<void> {
  const kept = await database.get(
    `insert into answers (key, at, fingerprint, status, body, location) values (?, ?, ?, ?, ?, ?) returning seq`,
    [once.key, now, once.fingerprint, answer.status, answer.body, answer.location],
  )
  if ((kept!.seq as number) % tidyEvery === 0) await forgetOldAnswers(database, now)
}

/** The oldest stand first, since seq follows time. */
async function forgetOldAnswers(database: Database, now: string): Promise<void> {
  await database.run(
    `delete from answers where seq in (select seq from answers order by seq limit ${tidyAtMost}) and at <= ?`,
    [windowStart(now)],
  )
}

function windowStart(now: string): string {
  return new Date(Date.parse(now) - windowMilliseconds).toISOString()
}
