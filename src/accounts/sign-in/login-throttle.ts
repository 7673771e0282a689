// Throttles failed sign-ins per account and per IP address, or per device if the account has signed in from that device
// before. The counts are in the catalog, so all nodes share them.

import { createHash } from 'node:crypto'
import { type Catalog, keepsCachedKeys } from '../../catalog/catalog.ts'
import type { Database } from '../../engine/database/database.ts'
import { networkOf } from '../../lib/ip-network.ts'

/** The number of failures before delays begin. The number is higher for an address, because a whole office may share
 *  one address. */
const freeAttempts = { account: 5, address: 20, device: 5 } as const
/** After this many failures, a device is treated as unknown until the failures expire: its cookie may have been
 *  stolen. */
const maxDeviceFailures = 10
const maxWaitMs = 15 * 60_000
/** Failures expire this long after the end of the delay if there is no further attempt. */
const failureTtlMs = 15 * 60_000

type Kind = keyof typeof freeAttempts
type Subject = { subject: string; kind: Kind }
type Count = Subject & { failures: number; last_at: string | null; is_logged: number }

/** An attempt counts as failed until its result is known, so that parallel attempts have no advantage over sequential
 *  ones. `before`: the counts before the attempt. */
export type Attempt = { before: Count[]; at: string; isKnownDevice: boolean }

/** A rejected attempt. `isFirst`: this is the first rejection since the last failure, so it is recorded in the audit
 *  log. */
export type Throttled = { seconds: number; isFirst: boolean }

/** Begins a sign-in attempt, whether or not the account exists. A throttled attempt does not count as a failure, so it
 *  does not extend the delay. `device`: the id of a known device for this account, see device-cookies.ts. */
export async function beginAttempt(
  catalog: Catalog,
  email: string,
  { address, now }: { address: string | null; now: Date },
  device?: string,
): Promise<Attempt | Throttled> {
  return catalog.transaction(async (database) => {
    const oldest = new Date(now.getTime() - maxWaitMs - failureTtlMs).toISOString()
    await database.run('delete from sign_in_attempts where last_at < ?', [oldest])
    // Times in the future, stored while a clock was ahead, would extend the delay.
    await database.run('update sign_in_attempts set last_at = ? where last_at > ?', [
      now.toISOString(),
      now.toISOString(),
    ])
    const deviceCount = device && (await readCount(database, { subject: subjectOf('device', device), kind: 'device' }))
    const isKnownDevice = Boolean(deviceCount && deviceCount.failures < maxDeviceFailures)
    const counts: Count[] = deviceCount && isKnownDevice ? [deviceCount] : []
    if (!isKnownDevice)
      for (const subject of subjectsOf(email, address)) counts.push(await readCount(database, subject))
    const throttled = counts.filter((count) => waitEnd(count) > now.getTime())
    if (throttled.length > 0) {
      const milliseconds = Math.max(...throttled.map(waitEnd)) - now.getTime()
      return { seconds: Math.ceil(milliseconds / 1000), isFirst: await markLogged(database, throttled) }
    }
    for (const count of counts) await addFailure(database, count, now)
    return { before: counts, at: now.toISOString(), isKnownDevice }
  }, keepsCachedKeys)
}

/** Removes an attempt that neither failed nor succeeded. */
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

/** Clears the device's failures if it is known, otherwise the account's failures. Keeps the IP address's failures,
 *  because attackers could otherwise clear them by signing in to their own account. After a sign-in from a known
 *  device, keeps the account's failures too, because someone else caused them. */
export async function recordSuccess(database: Database, attempt: Attempt): Promise<void> {
  await undoAttempt(database, attempt)
  const { subject } = attempt.before[0]!
  await database.run('delete from sign_in_attempts where subject = ?', [subject])
}

export async function clearFailures(database: Database, email: string): Promise<void> {
  await database.run('delete from sign_in_attempts where subject = ?', [subjectOf('account', email)])
}

function subjectsOf(email: string, address: string | null): Subject[] {
  const account: Subject = { subject: subjectOf('account', email), kind: 'account' }
  if (address === null) return [account]
  return [account, { subject: subjectOf('address', networkOf(address)), kind: 'address' }]
}

/** Hashes the name, because users sometimes type a password into the email field. The hash also has a fixed length. */
function subjectOf(kind: Kind, name: string): string {
  return `${kind} ${createHash('sha256').update(name).digest('base64url')}`
}

async function readCount(database: Database, { subject, kind }: Subject): Promise<Count> {
  const sql = 'select failures, last_at, is_logged from sign_in_attempts where subject = ?'
  const row = await database.get<Omit<Count, keyof Subject>>(sql, [subject])
  return { failures: 0, last_at: null, is_logged: 0, ...row, subject, kind }
}

/** Returns the epoch milliseconds of the next permitted attempt. Once the free attempts are used up, the delay after
 *  each failure is 2, 4, 8, … seconds. */
function waitEnd({ kind, failures, last_at }: Count): number {
  if (last_at === null) return 0
  const wait = failures < freeAttempts[kind] ? 0 : Math.min(maxWaitMs, 1000 * 2 ** (failures - freeAttempts[kind] + 1))
  return Date.parse(last_at) + wait
}

async function addFailure(database: Database, count: Count, now: Date): Promise<void> {
  const isExpired = waitEnd(count) + failureTtlMs < now.getTime()
  await database.run(
    `insert into sign_in_attempts (subject, failures, last_at, is_logged) values (?, 1, ?, 0)
     on conflict (subject) do update set failures = ?, last_at = excluded.last_at, is_logged = 0`,
    [count.subject, now.toISOString(), isExpired ? 1 : count.failures + 1],
  )
}

/** Marks the counts as logged. Returns whether this is the first throttled attempt since the last failure. */
async function markLogged(database: Database, throttled: Count[]): Promise<boolean> {
  const unlogged = throttled.filter(({ is_logged }) => is_logged === 0)
  const sql = 'update sign_in_attempts set is_logged = 1 where subject = ?'
  for (const { subject } of unlogged) await database.run(sql, [subject])
  return unlogged.length > 0
}
