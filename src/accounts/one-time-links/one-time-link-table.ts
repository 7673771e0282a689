// The catalog rows of one-time links (see one-time-links.ts).

import { type AuditActor, writeEvent } from '../../catalog/audit/audit-log.ts'
import { hashToken, isTokenShaped, newToken } from '../../catalog/ids.ts'
import type { Database } from '../../engine/database/database.ts'

const linkTtlMs = { setup: 30 * 60_000, password: 24 * 3_600_000 } as const

/** Creates a link for choosing a password and returns its token. Invalidates the user's older links. */
export async function insertPasswordLink(database: Database, userId: string, actor: AuditActor): Promise<string> {
  await database.run('delete from one_time_links where user_id = ?', [userId])
  return insertLink(database, 'password', userId, actor)
}

/** Creates a link and returns its token. Also deletes expired links. */
export async function insertLink(
  database: Database,
  purpose: keyof typeof linkTtlMs,
  userId: string | null,
  actor: AuditActor,
): Promise<string> {
  const token = newToken()
  const expiresAt = new Date(actor.now.getTime() + linkTtlMs[purpose]).toISOString()
  await database.run('delete from one_time_links where expires_at <= ?', [actor.now.toISOString()])
  const values = [hashToken(token), purpose, userId, expiresAt]
  await database.run('insert into one_time_links (hash, purpose, user_id, expires_at) values (?, ?, ?, ?)', values)
  await writeEvent(database, 'link_made', actor, { userId, detail: { purpose } })
  return token
}

type OneTimeLinkRow = { purpose: keyof typeof linkTtlMs; user_id: string | null }

/** Returns the row for an unused, unexpired link. */
export async function readLink(database: Pick<Database, 'get'>, token: string, now: Date) {
  if (!isTokenShaped(token)) return undefined
  const sql = 'select purpose, user_id from one_time_links where hash = ? and expires_at > ?'
  return database.get<OneTimeLinkRow>(sql, [hashToken(token), now.toISOString()])
}
