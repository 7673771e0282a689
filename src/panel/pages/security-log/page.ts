// /events.php: the security log, with filters. The log can also be downloaded as a file.

import { html } from 'ghtml'
import { type AuditEvent, isFromCommandLine, listEvents } from '../../../catalog/audit/audit-log.ts'
import { browserName } from '../../../lib/user-agent.ts'
import { listTenants } from '../../../tenants/tenants.ts'
import { showTime } from '../../components/days.ts'
import { labelColumns, table } from '../../components/lists/table.ts'
import { emptyState, pageLinks } from '../../components/sections.ts'
import { ownText, resourceTexts, type Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { exportEvents } from './export.ts'
import { filterForm, isFailure, readFilters, toEventsQuery } from './filters.ts'

const perPage = 50

export async function showEvents(request: SignedInRequest): Promise<PageResponse> {
  const { texts, deps, query } = request
  const filters = readFilters(request)
  const before = query.get('before')
  if (before && !/^\d{1,9}$/.test(before)) throw new PageError(400, 'bad_request')
  const tenants = await listTenants(deps.catalog)
  const wanted = toEventsQuery(texts, filters, tenants)
  if (query.has('format')) return exportEvents(request, wanted, tenants)
  const events = await listEvents(deps.catalog, {
    ...wanted,
    before: before ? Number(before) : undefined,
    limit: perPage + 1,
  })
  const slugs = new Map(tenants.map(({ id, slug }) => [id, slug]))
  const pageEvents = events.slice(0, perPage)
  const { what, when, who, about, from } = texts.events
  const list = table({
    head: labelColumns(what, when, who, about, from, texts.securityLog.device),
    rows: pageEvents.map((event) => eventRow(texts, event, slugs)),
    name: 'log',
  })
  const last = pageEvents.at(-1)
  const body = html`!${filterForm(request, filters)}
!${last ? html`<div class="scroll">!${list}</div>` : emptyState(texts.securityLog.empty)}
!${pageLinks(texts, {
    first: before ? pageUrl('events.php', filters) : undefined,
    next: last && events.length > perPage ? pageUrl('events.php', { ...filters, before: last.seq }) : undefined,
  })}`
  return { kind: 'page', title: texts.frame.events, body }
}

/** Returns the row's cells. The actor is the signed-in user, the user who has just signed in, the command line, a
 *  visitor who is not signed in, or several addresses. If the event affects another user, the details name that
 *  user. */
function eventRow(texts: Texts, event: AuditEvent, slugs: Map<string, string>): string[] {
  const { at, by_id, by_email, email, tenant_id, address: from, agent, detail } = event
  const name = ownText(texts.events.names, event.event) ?? event.event
  const tenant = tenant_id === null ? '' : (slugs.get(tenant_id) ?? '')
  const { role, slug, path, name: label, key, server, reason, count, sessions } = detail ?? {}
  const times = Number(count ?? sessions ?? 1)
  const isFailed = isFailure(event.event)
  const actorWithoutAddress = isFromCommandLine(event) ? texts.events.commandLine : texts.events.several
  const unnamedActor = from === null ? actorWithoutAddress : isFailed || !email ? texts.events.notSignedIn : email
  const who = by_email ?? unnamedActor
  const details = [
    email === who ? '' : email,
    tenant,
    tenant === slug ? '' : slug,
    typeof role === 'string' ? (ownText(texts.roles, role) ?? role) : '',
    path,
    label ?? key,
    server,
    reason,
    listFactors(texts, detail?.factors),
    ...listErasedRecords(texts, detail?.records),
    times > 1 && `×${times}`,
  ]
  const link = by_id === null ? html`${who}` : html`<a href="${pageUrl('events.php', { user: by_id })}">${who}</a>`
  const device = agent === null ? '' : html`<span title="${agent}">${browserName(agent)}</span>`
  return [
    html`${name}`,
    showTime(texts, at),
    link,
    html`${details.filter(Boolean).join(', ')}`,
    html`${from ?? ''}`,
    device,
  ]
}

/** Lists the factors that the user signed in with. */
function listFactors({ events }: Texts, factors: unknown): string {
  return Array.isArray(factors) ? factors.map((each: string) => ownText(events.factors, each) ?? each).join(' + ') : ''
}

/** Lists how many records were erased with a tenant, by resource. */
function listErasedRecords(texts: Texts, records: unknown): string[] {
  return Object.entries(records ?? {}).map(([name, count]) => resourceTexts(texts, name).count(Number(count)))
}
