// Sessions of people in the panel. They are in the catalog, so that every node knows them and one can be ended anywhere.

import { type AuditActor, sanitizeText, writeEvent } from '../catalog/audit-log.ts'
import { type Catalog, keepsKeys } from '../catalog/catalog.ts'
import { hashToken, isId, isTokenShaped, newId, newToken } from '../catalog/ids.ts'
import type { Database, Row } from '../database/database.ts'
import { toUser, type User, userColumns } from './users.ts'

export type Session = {
  id: string
  user: User
  created_at: string
  last_seen_at: string
  address: string | null
  agent: string | null
  /** When the password was last given. */
  confirmed_at: string | null
}

/** A session ends so long after it was last used, and after it began. Milliseconds. */
const idleFor = 30 * 60_000
const lifetime = 12 * 3_600_000
/** Of one user at a time, on all devices together. */
const maxSessions = 20
/** It is written down at most so often that a session was used. */
const touchIntervalMs = 60_000
/** For so long a password that was given need not be given again, for what asks for it. */
const reauthenticationTtlMs = 10 * 60_000

const columns = `s.id as session_id, s.created_at as began_at, s.last_seen_at, s.address, s.agent, s.confirmed_at,
  ${userColumns}`

/** The session of a token; undefined when it is over, or its user or tenant is gone. */
export async function findSession(catalog: Catalog, token: string, now: Date): Promise<Session | undefined> {
  if (!isTokenShaped(token)) return undefined
  const row = await catalog.database.get(
    `select ${columns} from sessions s join users u on u.id = s.user_id left join tenants t on t.id = u.tenant_id
     where s.hash = ? and s.last_seen_at > ? and s.created_at > ?`,
    [hashToken(token), ...limits(now)],
  )
  if (!row) return undefined
  const session = toSession(row)
  if (Date.parse(session.last_seen_at) + touchIntervalMs < now.getTime()) await touch(catalog, session, now)
  return session
}

/** The sessions of a user that are not over, the one used last first. */
export async function listSessions(catalog: Catalog, userId: string, now: Date): Promise<Session[]> {
  const rows = await catalog.database.all(
    `select ${columns} from sessions s join users u on u.id = s.user_id left join tenants t on t.id = u.tenant_id
     where s.user_id = ? and s.last_seen_at > ? and s.created_at > ? order by s.last_seen_at desc, s.id`,
    [userId, ...limits(now)],
  )
  return rows.map(toSession)
}

/** Ends a session of this user; one that is not there is ended. `event`: why it ends. */
export async function endSession(
  catalog: Catalog,
  id: string,
  userId: string,
  actor: AuditActor,
  event: 'session_ended' | 'signed_out' = 'session_ended',
): Promise<void> {
  if (!isId(id)) return
  await catalog.transaction(async (database) => {
    const ended = await database.run('delete from sessions where id = ? and user_id = ?', [id, userId])
    if (ended > 0) await writeEvent(database, event, actor, { userId })
  }, keepsKeys)
}

/** Ends every session of this one's user but itself. */
export async function endOtherSessions(catalog: Catalog, { id, user }: Session, actor: AuditActor): Promise<void> {
  await catalog.transaction((database) => endSessionsOf(database, user.id, actor, id), keepsKeys)
}

/** Ends every session of a user. */
export async function endAllSessions(catalog: Catalog, userId: string, actor: AuditActor): Promise<void> {
  await catalog.transaction((database) => endSessionsOf(database, userId, actor), keepsKeys)
}

/** Ends the sessions of a user except one, and records that in the security log. */
export async function endSessionsOf(database: Database, userId: string, actor: AuditActor, except = ''): Promise<void> {
  const sessions = await endSessions(database, userId, except)
  if (sessions > 0) await writeEvent(database, 'session_ended', actor, { userId, detail: { sessions } })
}

/** Whether the password was given so lately that what asks for it may be done. */
export function isConfirmed(session: Session, now: Date): boolean {
  return session.confirmed_at !== null && Date.parse(session.confirmed_at) + reauthenticationTtlMs > now.getTime()
}

/** Begins a session of a user who has just given the password; its token. Those that are over are removed, and those used longest
 *  ago where a user has too many. */
export async function insertSession(database: Database, userId: string, actor: AuditActor): Promise<string> {
  const token = newToken()
  const now = actor.now.toISOString()
  await database.run('delete from sessions where last_seen_at <= ? or created_at <= ?', limits(actor.now))
  const tooMany = await database.run(
    `delete from sessions where id in
       (select id from sessions where user_id = ? order by last_seen_at desc, created_at desc, id limit 1000 offset ?)`,
    [userId, maxSessions - 1],
  )
  if (tooMany > 0) await writeEvent(database, 'session_ended', actor, { userId, detail: { sessions: tooMany } })
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

/** A new token for a session whose user has just given the password again (ASVS 7.2.4); the old one opens nothing any more. */
export async function renewToken(database: Database, id: string, now: Date): Promise<string> {
  const token = newToken()
  const values = [hashToken(token), now.toISOString(), id]
  await database.run('update sessions set hash = ?, confirmed_at = ? where id = ?', values)
  return token
}

/** Ends the sessions of a user, but for one; how many. */
export async function endSessions(database: Database, userId: string, except = ''): Promise<number> {
  return database.run('delete from sessions where user_id = ? and id <> ?', [userId, except])
}

async function touch(catalog: Catalog, session: Session, now: Date): Promise<void> {
  const sql = 'update sessions set last_seen_at = ? where id = ? and last_seen_at < ?'
  const values = [now.toISOString(), session.id, now.toISOString()]
  await catalog.transaction(async (database) => database.run(sql, values), keepsKeys)
  session.last_seen_at = now.toISOString()
}

/** What a session that is not over was last used after, and begun after. */
function limits(now: Date): [idle: string, begun: string] {
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString()
  return [before(idleFor), before(lifetime)]
}

function toSession({ session_id, began_at, last_seen_at, address, agent, confirmed_at, ...user }: Row): Session {
  const session = {
    id: session_id,
    user: toUser(user),
    created_at: began_at,
    last_seen_at,
    address,
    agent,
    confirmed_at,
  }
  return session as Session
}
