// Sign-ins that fail are slowed down, per account and per address, or per device where the account has signed in from it
// before. The counts are in the catalog: every node knows them.

import { createHash } from 'node:crypto'
import { type Catalog, keepsKeys } from '../catalog/catalog.ts'
import type { Database } from '../database/database.ts'
import { network } from '../lib/ip-network.ts'

/** Failures without a wait; behind an address there may be a whole office. */
const freeAttempts = { account: 5, address: 20, device: 5 } as const
/** From this number of failures on a device is treated like an unknown one until they are forgotten: its cookie may be stolen. */
const maxDeviceFailures = 10
const longestWait = 15 * 60_000
/** Failures are forgotten when nothing was tried for so long after the wait has ended. Milliseconds. */
const forgottenAfter = 15 * 60_000

type Kind = keyof typeof freeAttempts
type Subject = { subject: string; kind: Kind }
type Count = Subject & { failures: number; last_at: string | null; is_told: number }

/** Something that counts as failed until it is known how it ended: many at once get no further than one after another. */
export type Attempt = { before: Count[]; at: string; isKnownDevice: boolean }

/** An attempt that must wait; `isFirst`: the first one since the last failure, which is worth recording. */
export type Throttled = { seconds: number; isFirst: boolean }

/** Begins an attempt at an account, whether it exists or not. One that has to wait counts for nothing: the account is not
 *  locked by it. `device`: one that is known for this account, see device-cookies.ts. */
export async function beginAttempt(
  catalog: Catalog,
  email: string,
  { address, now }: { address: string | null; now: Date },
  device?: string,
): Promise<Attempt | Throttled> {
  return catalog.transaction(async (database) => {
    const oldest = new Date(now.getTime() - longestWait - forgottenAfter).toISOString()
    await database.run('delete from sign_in_attempts where last_at < ?', [oldest])
    // A clock that was ahead has left times to come: without this, they would have to be waited for.
    await database.run('update sign_in_attempts set last_at = ? where last_at > ?', [
      now.toISOString(),
      now.toISOString(),
    ])
    const known = device && (await readCount(database, { subject: subjectOf('device', device), kind: 'device' }))
    const isKnownDevice = Boolean(known && known.failures < maxDeviceFailures)
    const counts: Count[] = known && isKnownDevice ? [known] : []
    if (!isKnownDevice)
      for (const subject of subjectsOf(email, address)) counts.push(await readCount(database, subject))
    const waiting = counts.filter((count) => waitEnd(count) > now.getTime())
    if (waiting.length > 0) {
      const milliseconds = Math.max(...waiting.map(waitEnd)) - now.getTime()
      return { seconds: Math.ceil(milliseconds / 1000), isFirst: await markLogged(database, waiting) }
    }
    for (const count of counts) await addFailure(database, count, now)
    return { before: counts, at: now.toISOString(), isKnownDevice }
  }, keepsKeys)
}

/** The attempt has not failed, nor has it succeeded: as if it had not been. */
export async function undoAttempt(database: Database, attempt: Attempt): Promise<void> {
  for (const { subject, last_at } of attempt.before) {
    await database.run(
      `update sign_in_attempts set failures = failures - 1, last_at = case when last_at = ? then ? else last_at end
       where subject = ?`,
      [attempt.at, last_at ?? attempt.at, subject],
    )
    await database.run('delete from sign_in_attempts where subject = ? and failures < 1', [subject])
  }
}

/** The attempt has succeeded. Failures of the device, or else of the account, are forgotten; those of the address are not: it
 *  may be an attacker's, with an account of his own. From a known device, those of the account are strangers' and stay. */
export async function recordSuccess(database: Database, attempt: Attempt): Promise<void> {
  await undoAttempt(database, attempt)
  const [{ subject }] = attempt.before as [Count, ...Count[]]
  await database.run('delete from sign_in_attempts where subject = ?', [subject])
}

/** Forgets the failures of an account. */
export async function clearFailures(database: Database, email: string): Promise<void> {
  await database.run('delete from sign_in_attempts where subject = ?', [subjectOf('account', email)])
}

function subjectsOf(email: string, address: string | null): Subject[] {
  const account: Subject = { subject: subjectOf('account', email), kind: 'account' }
  if (address === null) return [account]
  return [account, { subject: subjectOf('address', network(address)), kind: 'address' }]
}

/** Hashed: of one length, and what was typed in place of an address, perhaps a password, is kept nowhere. */
function subjectOf(kind: Kind, name: string): string {
  return `${kind} ${createHash('sha256').update(name).digest('base64url')}`
}

async function readCount(database: Database, { subject, kind }: Subject): Promise<Count> {
  const sql = 'select failures, last_at, is_told from sign_in_attempts where subject = ?'
  const row = await database.get(sql, [subject])
  return { failures: 0, last_at: null, is_told: 0, ...(row as Partial<Count> | undefined), subject, kind }
}

/** When the next attempt may be made: 2, 4, 8, … seconds after the last one. */
function waitEnd({ kind, failures, last_at }: Count): number {
  if (last_at === null) return 0
  const wait =
    failures < freeAttempts[kind] ? 0 : Math.min(longestWait, 1000 * 2 ** (failures - freeAttempts[kind] + 1))
  return Date.parse(last_at) + wait
}

async function addFailure(database: Database, count: Count, now: Date): Promise<void> {
  const isForgotten = waitEnd(count) + forgottenAfter < now.getTime()
  await database.run(
    `insert into sign_in_attempts (subject, failures, last_at, is_told) values (?, 1, ?, 0)
     on conflict (subject) do update set failures = ?, last_at = excluded.last_at, is_told = 0`,
    [count.subject, now.toISOString(), isForgotten ? 1 : count.failures + 1],
  )
}

/** Whether this is the first to be told to wait since the last failure. */
async function markLogged(database: Database, waiting: Count[]): Promise<boolean> {
  const untold = waiting.filter(({ is_told }) => is_told === 0)
  const sql = 'update sign_in_attempts set is_told = 1 where subject = ?'
  for (const { subject } of untold) await database.run(sql, [subject])
  return untold.length > 0
}
