// The audit log: authentication and administration events, in order. Entries are never changed.

import { type Database, limitClause, type Value } from '../../engine/database/database.ts'
import { type Catalog, keepsCachedKeys } from '../catalog.ts'

/** Who acts, when and from where. */
export type AuditActor = {
  now: Date
  /** The user's id; null for the command line and for clients that are not signed in. */
  by: string | null
  address: string | null
  agent: string | null
  /** The browser's device cookie (see device-cookies.ts). Never recorded. */
  deviceCookie?: string | undefined
}

export type AuditEvent = {
  /** Increases with each event. */
  seq: number
  at: string
  event: string
  /** The user the event is about. `email` is a copy, so that the entry stays readable after the user is deleted. */
  user_id: string | null
  email: string | null
  tenant_id: string | null
  /** The user who acted; null in the same cases as `by` in AuditActor. */
  by_id: string | null
  by_email: string | null
  address: string | null
  agent: string | null
  detail: Record<string, unknown> | null
}

/** What an event is about: by default, the user who acts. `detail` never contains a secret. */
export type AuditSubject = {
  userId?: string | null
  email?: string | null
  tenantId?: string | null
  detail?: Record<string, unknown>
}

/** Records an event in its own transaction. Used if nothing else is stored, for example when a form is refused. */
export async function recordEvent(
  catalog: Catalog,
  event: string,
  actor: AuditActor,
  subject: AuditSubject,
): Promise<void> {
  await catalog.transaction((database) => writeEvent(database, event, actor, subject), keepsCachedKeys)
}

/** Selects the tenant of a user who belongs to exactly one. */
const onlyTenant = 'select max(tenant_id) from memberships where user_id = ? having count(*) = 1'

/** Records an event in the same transaction as the change that it describes. Call this before deleting a user, because
 *  it reads the user's row. */
export async function writeEvent(
  database: Database,
  event: string,
  actor: AuditActor,
  subject: AuditSubject,
): Promise<void> {
  const { now, by, address, agent } = actor
  const userId = subject.userId ?? (subject.email ? null : by)
  await database.run(
    `insert into audit_events
       (seq, at, event, user_id, email, tenant_id, by_id, by_email, address, agent, detail)
     select coalesce(max(seq), 0) + 1, ?, ?, ?,
       coalesce(?, (select email from users where id = ?)), coalesce(?, (${onlyTenant})),
       ?, (select email from users where id = ?), ?, ?, ?
     from audit_events`,
    [
      now.toISOString(),
      event,
      userId,
      subject.email ?? null,
      userId,
      subject.tenantId ?? null,
      userId,
      by,
      by,
      sanitizeText(address, 100),
      sanitizeText(agent, 200),
      subject.detail ? JSON.stringify(subject.detail) : null,
    ],
  )
}

/** `before`: only events with a smaller `seq`. `userId`: only events about or by this user. `user`: only events about
 *  or by a user whose email address contains this text. `since` is inclusive, `until` is exclusive. `words`: text in
 *  the IP address, the user agent or the details. */
export type EventsQuery = {
  limit: number
  before?: number | undefined
  events?: readonly string[] | undefined
  tenantIds?: readonly string[] | undefined
  userId?: string | undefined
  user?: string | undefined
  since?: string | undefined
  until?: string | undefined
  words?: string | undefined
}

/** Lists events, newest first. */
export async function listEvents(catalog: Catalog, query: EventsQuery): Promise<AuditEvent[]> {
  const conditions = conditionsOf(query)
  const rows = await catalog.database.all<Omit<AuditEvent, 'detail'> & { detail: string | null }>(
    `select seq, at, event, user_id, email, tenant_id, by_id, by_email, address, agent, detail from audit_events
     where ${conditions.map(([sql]) => sql).join(' and ')} order by seq desc ${limitClause}`,
    [...conditions.flatMap(([, values]) => values), query.limit],
  )
  return rows.map((row) => ({ ...row, detail: row.detail === null ? null : JSON.parse(row.detail) }))
}

/** Whether a command caused the event. Clients of the panel have an address, but a row that counts the attempts of
 *  several clients has none either. */
export function isFromCommandLine({ address, detail }: AuditEvent): boolean {
  return address === null && !detail?.several
}

type Condition = [sql: string, values: readonly Value[]]

function conditionsOf(query: EventsQuery): Condition[] {
  const { before, events, tenantIds, userId, user, since, until, words } = query
  const conditions: (Condition | undefined)[] = [
    before === undefined ? undefined : ['seq < ?', [before]],
    events && isOneOf('event', events),
    tenantIds && isOneOf('tenant_id', tenantIds),
    userId === undefined ? undefined : ['(user_id = ? or by_id = ?)', [userId, userId]],
    user === undefined ? undefined : contains(['email', 'by_email'], user),
    since === undefined ? undefined : ['at >= ?', [since]],
    until === undefined ? undefined : ['at < ?', [until]],
    words === undefined ? undefined : contains(['address', 'agent', 'detail'], words),
  ]
  return [['1 = 1', []], ...conditions.filter((condition) => condition !== undefined)]
}

function isOneOf(column: string, values: readonly string[]): Condition {
  return values.length === 0 ? ['1 = 0', []] : [`${column} in (${values.map(() => '?').join(', ')})`, values]
}

/** Returns a condition that is true if one of the columns contains the text, ignoring case. */
function contains(columns: readonly string[], text: string): Condition {
  const pattern = `%${text.toLowerCase().replaceAll(/[!%_]/g, '!$&')}%`
  return [`(${columns.map((column) => `lower(${column}) like ? escape '!'`).join(' or ')})`, columns.map(() => pattern)]
}

/** Truncates text from clients, and replaces lone surrogates and U+0000, which PostgreSQL rejects. */
export function sanitizeText(text: string | null, length: number): string | null {
  return text === null ? null : text.slice(0, length).toWellFormed().replaceAll('\0', '\ufffd')
}
