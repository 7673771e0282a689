// Renders a security log event as a table row.

import { html } from 'ghtml'
import type { AuditEvent } from '../../../catalog/audit/audit-log.ts'
import { browserName } from '../../components/user-agent.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import { resourceTexts, type Texts } from '../../i18n/index.ts'
import { pageUrl } from '../../urls.ts'

/** Whether the event is an attempt that did not succeed. */
export function isFailure(event: string): boolean {
  return /_(failed|throttled|refused|denied)$/.test(event)
}

/** Returns the row's cells. The actor is the signed-in user, the user who has just signed in, the command line, a
 *  visitor who is not signed in, or several addresses. If the event affects another user, the details name that
 *  user. */
export function eventRow(texts: Texts, event: AuditEvent, slugs: Map<string, string>): string[] {
  const { at, by_id, by_email, email, tenant_id, address: from, agent, detail } = event
  const name = (texts.events.names as Record<string, string>)[event.event] ?? event.event
  const tenant = tenant_id === null ? '' : (slugs.get(tenant_id) ?? '')
  const { role, slug, path, name: label, key, server, reason } = (detail ?? {}) as Record<string, string | undefined>
  const { count, sessions } = (detail ?? {}) as Record<string, number | undefined>
  const times = Number(count ?? sessions ?? 1)
  const isFailed = isFailure(event.event)
  const actorWithoutAddress = detail?.several ? texts.events.several : texts.events.commandLine
  const unnamedActor = from === null ? actorWithoutAddress : isFailed || !email ? texts.events.notSignedIn : email
  const who = by_email ?? unnamedActor
  const details = [
    email === who ? '' : email,
    tenant,
    tenant === slug ? '' : slug,
    role === undefined ? '' : ((texts.roles as Record<string, string>)[role] ?? role),
    path,
    label ?? key,
    server,
    reason,
    listFactors(texts, detail?.factors),
    ...listErasedRecords(texts, detail?.records),
    times > 1 && `×${times}`,
  ]
  const link = by_id === null ? html`${who}` : html`<a href="${pageUrl('events.php', { user: by_id })}">${who}</a>`
  const time = html`<time datetime="${at}">${formatDateTime(texts, at)}</time>`
  const device = agent === null ? '' : html`<span title="${agent}">${browserName(agent)}</span>`
  return [html`${name}`, time, link, html`${details.filter(Boolean).join(', ')}`, html`${from ?? ''}`, device]
}

/** Lists the factors that the user signed in with. */
function listFactors({ events }: Texts, factors: unknown): string {
  const names = events.factors as Record<string, string>
  return Array.isArray(factors) ? factors.map((each: string) => names[each] ?? each).join(' + ') : ''
}

/** Lists how many records were erased with a tenant, by resource. */
function listErasedRecords(texts: Texts, records: unknown): string[] {
  const counts = Object.entries((records ?? {}) as Record<string, number>)
  return counts.map(([name, count]) => resourceTexts(texts, name).count(count))
}
