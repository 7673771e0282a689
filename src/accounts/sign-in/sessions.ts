// Panel sessions. They are stored in the catalog, so that every node can read and end them.

import { type AuditActor, sanitizeText, writeEvent } from '../../catalog/audit/audit-log.ts'
import { type Catalog, keepsCachedKeys, runStatement } from '../../catalog/catalog.ts'
import { hashToken, isId, isTokenShaped, newId, newToken } from '../../catalog/ids.ts'
import type { Database } from '../../engine/database/database.ts'
import { toUsers, type User, type UserRow, userColumns } from '../users.ts'

export type Session = {
  id: string
  user: User
  created_at: string
  last_seen_at: string
  address: string | null
  agent: string | null
  /** When the user last entered the password in this session. */
  confirmed_at: string | null
}

/** A session ends when it has been idle for this long or has reached its maximum lifetime. */
const idleTimeoutMs = 30 * 60_000
const maxLifetimeMs = 12 * 3_600_000
/** The maximum number of sessions per user, across all devices. */
const maxSessions = 20
/** `last_seen_at` is written at most this often. */
const lastSeenIntervalMs = 60_000
/** Sensitive actions do not ask for the password again within this time. */
const reauthenticationTtlMs = 10 * 60_000

type SessionRow = Omit<Session, 'id' | 'created_at' | 'user'> & { session_id: string; started_at: string } & UserRow

const columns = `s.id as session_id, s.created_at as started_at, s.last_seen_at, s.address, s.agent, s.confirmed_at,
  ${userColumns}`

/** Returns the session with this token; undefined if the session has ended or its user was deleted. */
export async function findSession(catalog: Catalog, token: string, now: Date): Promise<Session | undefined> {
  if (!isTokenShaped(token)) return undefined
  const row = await catalog.database.get<SessionRow>(
    `select ${columns} from sessions s join users u on u.id = s.user_id
     where s.hash = ? and s.last_seen_at > ? and s.created_at > ?`,
    [hashToken(token), ...oldestActiveTimes(now)],
  )
  if (!row) return undefined
  const [session] = await toSessions(catalog.database, [row])
  if (session && Date.parse(session.last_seen_at) + lastSeenIntervalMs < now.getTime())
    await updateLastSeen(catalog, session, now)
  return session
}

/** Whether a session still exists. Exports check this repeatedly, because they can take a long time. */
export async function hasSession(catalog: Catalog, id: string): Promise<boolean> {
  return (await catalog.database.get('select 1 as found from sessions where id = ?', [id])) !== undefined
}

/** Lists a user's active sessions, most recently used first. */
export async function listSessions(catalog: Catalog, userId: string, now: Date): Promise<Session[]> {
  const rows = await catalog.database.all<SessionRow>(
    `select ${columns} from sessions s join users u on u.id = s.user_id
     where s.user_id = ? and s.last_seen_at > ? and s.created_at > ? order by s.last_seen_at desc, s.id`,
    [userId, ...oldestActiveTimes(now)],
  )
  return toSessions(catalog.database, rows)
}

/** Ends one of the user's sessions, if it exists. `event`: the reason, for the audit log. */
export async function endSession(
  catalog: Catalog,
  { id, userId, event = 'session_ended' }: { id: string; userId: string; event?: 'session_ended' | 'signed_out' },
  actor: AuditActor,
): Promise<void> {
  if (!isId(id)) return
  await catalog.transaction(async (database) => {
    const ended = await database.run('delete from sessions where id = ? and user_id = ?', [id, userId])
    if (ended > 0) await writeEvent(database, event, actor, { userId })
  }, keepsCachedKeys)
}

export async function endOtherSessions(catalog: Catalog, { id, user }: Session, actor: AuditActor): Promise<void> {
  await catalog.transaction((database) => endSessionsOf(database, user.id, actor, id), keepsCachedKeys)
}

export async function endAllSessions(catalog: Catalog, userId: string, actor: AuditActor): Promise<void> {
  await catalog.transaction((database) => endSessionsOf(database, userId, actor), keepsCachedKeys)
}

/** Ends a user's sessions, except the one with the id `except`, and records the event in the audit log. */
export async function endSessionsOf(database: Database, userId: string, actor: AuditActor, except = ''): Promise<void> {
  const sessions = await endSessions(database, userId, except)
  if (sessions > 0) await writeEvent(database, 'session_ended', actor, { userId, detail: { sessions } })
}

/** Whether the user entered the password recently enough for a sensitive action. */
export function isConfirmed(session: Session, now: Date): boolean {
  return session.confirmed_at !== null && Date.parse(session.confirmed_at) + reauthenticationTtlMs > now.getTime()
}

/** Creates a session for a user who has just entered the password. Returns the session's token. Also deletes expired
 *  sessions, and the user's least recently used sessions beyond the maximum. */
export async function insertSession(database: Database, userId: string, actor: AuditActor): Promise<string> {
  const token = newToken()
  const now = actor.now.toISOString()
  await database.run('delete from sessions where last_seen_at <= ? or created_at <= ?', oldestActiveTimes(actor.now))
  const excess = await database.run(
    `delete from sessions where id in
       (select id from sessions where user_id = ? order by last_seen_at desc, created_at desc, id limit 1000 offset ?)`,
    [userId, maxSessions - 1],
  )
  if (excess > 0) await writeEvent(database, 'session_ended', actor, { userId, detail: { sessions: excess } })
  await database.run(
    `insert into sessions (id, hash, user_id, created_at, last_seen_at, address, agent, confirmed_at)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      newId(),
      hashToken(token),
      userId,
      now,
      now,
      sanitizeText(actor.address, 100),
      sanitizeText(actor.agent, 200),
      now,
    ],
  )
  return token
}

/** Replaces a session's token after the user has re-entered the password (ASVS 7.2.4). */
export async function renewToken(database: Database, id: string, now: Date): Promise<string> {
  const token = newToken()
  const values = [hashToken(token), now.toISOString(), id]
  await database.run('update sessions set hash = ?, confirmed_at = ? where id = ?', values)
  return token
}

/** Ends a user's sessions, except the one with the id `except`, and returns how many were ended. */
export async function endSessions(database: Database, userId: string, except = ''): Promise<number> {
  return database.run('delete from sessions where user_id = ? and id <> ?', [userId, except])
}

async function updateLastSeen(catalog: Catalog, session: Session, now: Date): Promise<void> {
  const sql = 'update sessions set last_seen_at = ? where id = ? and last_seen_at < ?'
  const values = [now.toISOString(), session.id, now.toISOString()]
  await runStatement(catalog, sql, values)
  session.last_seen_at = now.toISOString()
}

/** A session is active only if it was last used, and created, after the times that this function returns. */
function oldestActiveTimes(now: Date): [lastUse: string, creation: string] {
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()
  return [before(idleTimeoutMs), before(maxLifetimeMs)]
}

/** Converts rows to sessions. All rows must belong to the same user. */
async function toSessions(database: Pick<Database, 'all'>, rows: SessionRow[]): Promise<Session[]> {
  const sessions = rows.map(({ session_id: id, started_at, last_seen_at, address, agent, confirmed_at, ...user }) => ({
    user,
    session: { id, created_at: started_at, last_seen_at, address, agent, confirmed_at },
  }))
  const [user] = await toUsers(
    database,
    sessions.slice(0, 1).map(({ user }) => user),
  )
  return sessions.map(({ session }) => ({ ...session, user: user! }))
}
