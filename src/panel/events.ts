// /events.php: the security log of the installation.

import { html } from 'ghtml'
import { type AuditEvent, listEvents } from '../tenancy/audit.ts'
import { listTenants } from '../tenancy/tenants.ts'
import { type Texts, writeMoment } from './texts.ts'
import { type Answer, address, Refused, type SignedIn } from './visit.ts'

const perPage = 50

export async function showEvents(visit: SignedIn): Promise<Answer> {
  const { texts, parts, query } = visit
  const before = query.get('before')
  if (before && !/^\d{1,16}$/.test(before)) throw new Refused(400, 'bad_request')
  const user = query.get('user')
  const wish = { limit: perPage + 1, ...(before && { before: Number(before) }), ...(user && { userId: user }) }
  const [events, tenants] = await Promise.all([listEvents(parts.catalog, wish), listTenants(parts.catalog)])
  const slugs = new Map(tenants.map(({ id, slug }) => [id, slug]))
  const shown = events.slice(0, perPage)
  const rows = shown.map((event) => row(texts, event, slugs))
  const next = events.length > perPage ? address('events.php', { user, before: shown.at(-1)!.seq }) : null
  const heads = [texts.events.when, texts.events.what, texts.events.who, texts.events.about, texts.events.from]
  const body = html`<div class="scroll"><table><thead><tr>!${heads.map((each) => html`<th scope="col">${each}</th>`).join('')}</tr></thead><tbody>!${rows.join('')}</tbody></table></div>
!${next ? html`<p class="paging"><a class="button" rel="next" href="${next}">${texts.records.next}</a></p>` : ''}`
  return { kind: 'page', title: texts.frame.events, body }
}

/** Who did it is a user, or the command line; whom it is about is said where that is someone else. */
function row(texts: Texts, event: AuditEvent, slugs: Map<string, string>): string {
  const { at, by_id, by_email, email, tenant_id, address: from, detail } = event
  const name = (texts.events.names as Record<string, string>)[event.event] ?? event.event
  const tenant = tenant_id === null ? '' : (slugs.get(tenant_id) ?? '')
  const { role, slug, name: called, key, reason } = (detail ?? {}) as Record<string, string | undefined>
  const about = [email === by_email ? '' : email, tenant, tenant === slug ? '' : slug, role, called ?? key, reason]
  const who = by_email ?? texts.events.commandLine
  const link = by_id === null ? html`${who}` : html`<a href="${address('events.php', { user: by_id })}">${who}</a>`
  return html`<tr><td><time datetime="${at}">${writeMoment(texts, at)}</time></td><td>${name}</td><td>!${link}</td><td>${about.filter(Boolean).join(', ')}</td><td>${from ?? ''}</td></tr>`
}
