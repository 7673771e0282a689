// /events.php: the security log.

import { html } from 'ghtml'
import { type AuditEvent, listEvents } from '../../catalog/audit-log.ts'
import { listTenants } from '../../tenants/tenants.ts'
import { pageLinks } from '../components/sections.ts'
import { labelled, table } from '../components/table.ts'
import { formatDateTime } from '../i18n/conventions.ts'
import { resourceTexts, type Texts } from '../i18n/index.ts'
import type { SignedInRequest } from '../request.ts'
import { PageError, type PageResponse } from '../responses.ts'
import { pageUrl } from '../urls.ts'

const perPage = 50

export async function showEvents(request: SignedInRequest): Promise<PageResponse> {
  const { texts, deps, query } = request
  const before = query.get('before')
  if (before && !/^\d{1,9}$/.test(before)) throw new PageError(400, 'bad_request')
  const user = query.get('user')
  if (user && !/^\w+$/.test(user)) throw new PageError(400, 'bad_request')
  const options = { limit: perPage + 1, ...(before && { before: Number(before) }), ...(user && { userId: user }) }
  const [events, tenants] = await Promise.all([listEvents(deps.catalog, options), listTenants(deps.catalog)])
  const slugs = new Map(tenants.map(({ id, slug }) => [id, slug]))
  const shown = events.slice(0, perPage)
  const rows = shown.map((event) => row(texts, event, slugs))
  const next = events.length > perPage ? pageUrl('events.php', { user, before: shown.at(-1)!.seq }) : undefined
  const { what, when, who, about, from } = texts.events
  const list = table({ head: labelled(what, when, who, about, from), rows, name: 'log' })
  const body = html`<div class="scroll">!${list}</div>!${pageLinks(texts, { next })}`
  return { kind: 'page', title: texts.frame.events, body }
}

/** The actor is the signed-in user, the user who just signed in, the command line, or an unauthenticated visitor. The
 *  details include the affected user if that is someone else. */
function row(texts: Texts, event: AuditEvent, slugs: Map<string, string>): string[] {
  const { at, by_id, by_email, email, tenant_id, address: from, detail } = event
  const name = (texts.events.names as Record<string, string>)[event.event] ?? event.event
  const tenant = tenant_id === null ? '' : (slugs.get(tenant_id) ?? '')
  const { role, slug, path, name: called, key, server, reason } = (detail ?? {}) as Record<string, string | undefined>
  const { count, sessions } = (detail ?? {}) as Record<string, number | undefined>
  const times = Number(count ?? sessions ?? 1)
  const isRefused = /_(failed|throttled|refused|denied)$/.test(event.event)
  const nobody = detail?.several ? texts.events.several : texts.events.commandLine
  const someone = from === null ? nobody : isRefused || !email ? texts.events.notSignedIn : email
  const who = by_email ?? someone
  const about = [
    email === who ? '' : email,
    tenant,
    tenant === slug ? '' : slug,
    role,
    path,
    called ?? key,
    server,
    reason,
    writeFactors(texts, detail?.factors),
    ...writeErased(texts, detail?.records),
    times > 1 && `×${times}`,
  ]
  const link = by_id === null ? html`${who}` : html`<a href="${pageUrl('events.php', { user: by_id })}">${who}</a>`
  const time = html`<time datetime="${at}">${formatDateTime(texts, at)}</time>`
  return [html`${name}`, time, link, html`${about.filter(Boolean).join(', ')}`, html`${from ?? ''}`]
}

/** Lists the factors that the user signed in with. */
function writeFactors({ events }: Texts, factors: unknown): string {
  const names = events.factors as Record<string, string>
  return Array.isArray(factors) ? factors.map((each: string) => names[each] ?? each).join(' + ') : ''
}

/** Names what was erased with a tenant. */
function writeErased(texts: Texts, records: unknown): string[] {
  const counts = Object.entries((records ?? {}) as Record<string, number>)
  return counts.map(([name, count]) => resourceTexts(texts, name).count(count))
}
