// What people did: authentication and administration, in the order it happened. Nothing edits it.

import { type Database, limitClause, type Row, type Value } from '../database/database.ts'
import { type Catalog, keepsKeys } from './catalog.ts'

/** When, by whom and from where something is asked for. */
export type AuditActor = {
  now: Date
  /** Id of the user who asks; null: the command line, or someone who is not signed in yet. */
  by: string | null
  address: string | null
  agent: string | null
  /** What the browser sent as its device cookie, see device-cookies.ts. It is recorded nowhere. */
  deviceCookie?: string | undefined
}

export type AuditEvent = {
  /** Grows with each event. */
  seq: number
  at: string
  event: string
  /** Whom it is about, with the address as it was then: it stays readable when the user is gone. */
  user_id: string | null
  email: string | null
  tenant_id: string | null
  /** Who did it, likewise; null as in Origin. */
  by_id: string | null
  by_email: string | null
  address: string | null
  agent: string | null
  detail: Record<string, unknown> | null
}

/** Whom and what an event is about. Left out, it is about whoever did it. `detail` never holds a secret. */
export type AuditSubject = {
  userId?: string | null
  email?: string | null
  tenantId?: string | null
  detail?: Record<string, unknown>
}

/** Records what happened outside of a transaction of ours, such as the making of a tenant. */
export async function recordEvent(
  catalog: Catalog,
  event: string,
  actor: AuditActor,
  about: AuditSubject,
): Promise<void> {
  await catalog.transaction((database) => writeEvent(database, event, actor, about), keepsKeys)
}

/** Records what is done in the same transaction. The row of a user who is deleted is still there. */
export async function writeEvent(
  database: Database,
  event: string,
  actor: AuditActor,
  about: AuditSubject,
): Promise<void> {
  const { now, by, address, agent } = actor
  const userId = about.userId ?? (about.email ? null : by)
  await database.run(
    `insert into audit_events
       (seq, at, event, user_id, email, tenant_id, by_id, by_email, address, agent, detail)
     select coalesce(max(seq), 0) + 1, ?, ?, ?,
       coalesce(?, (select email from users where id = ?)), coalesce(?, (select tenant_id from users where id = ?)),
       ?, (select email from users where id = ?), ?, ?, ?
     from audit_events`,
    [
      ...[now.toISOString(), event, userId, about.email ?? null, userId, about.tenantId ?? null, userId],
      ...[
        by,
        by,
        sanitizeText(address, 100),
        sanitizeText(agent, 200),
        about.detail ? JSON.stringify(about.detail) : null,
      ],
    ],
  )
}

/** Events, the newest first, those before a `seq` if it is given. Those of a user are about them or done by them. */
export async function listEvents(
  catalog: Catalog,
  query: { before?: number; limit: number; tenantId?: string; userId?: string },
): Promise<AuditEvent[]> {
  const conditions: [sql: string, values: Value[]][] = [['1 = 1', []]]
  if (query.before !== undefined) conditions.push(['seq < ?', [query.before]])
  if (query.tenantId !== undefined) conditions.push(['tenant_id = ?', [query.tenantId]])
  if (query.userId !== undefined) conditions.push(['(user_id = ? or by_id = ?)', [query.userId, query.userId]])
  const rows = await catalog.database.all(
    `select seq, at, event, user_id, email, tenant_id, by_id, by_email, address, agent, detail from audit_events
     where ${conditions.map(([sql]) => sql).join(' and ')} order by seq desc ${limitClause}`,
    [...conditions.flatMap(([, values]) => values), query.limit],
  )
  return rows.map(toEvent)
}

function toEvent(row: Row): AuditEvent {
  return { ...row, detail: row.detail === null ? null : JSON.parse(row.detail as string) } as unknown as AuditEvent
}

/** What comes from outside, as it can be stored: PostgreSQL takes neither halves of characters nor U+0000. */
export function sanitizeText(text: string | null, length: number): string | null {
  return text === null ? null : text.slice(0, length).toWellFormed().replaceAll('\0', '\ufffd')
}
