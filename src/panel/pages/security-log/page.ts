// /events.php: the security log, with filters. The log can also be downloaded as a file.

import { html } from 'ghtml'
import { listEvents } from '../../../catalog/audit/audit-log.ts'
import { listTenants } from '../../../tenants/tenants.ts'
import { labelColumns, table } from '../../components/lists/table.ts'
import { emptyState, pageLinks } from '../../components/sections.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { eventRow } from './event-row.ts'
import { exportEvents } from './export.ts'
import { filterForm, readFilters, toEventsQuery } from './filters.ts'

const perPage = 50

export async function showEvents(request: SignedInRequest): Promise<PageResponse> {
  const { texts, deps, query } = request
  const filters = readFilters(request)
  const before = query.get('before')
  if (before && !/^\d{1,9}$/.test(before)) throw new PageError(400, 'bad_request')
  const tenants = await listTenants(deps.catalog)
  const wanted = toEventsQuery(texts, filters, tenants)
  if (query.has('format')) return exportEvents(request, wanted, tenants)
  const found = await listEvents(deps.catalog, {
    ...wanted,
    before: before ? Number(before) : undefined,
    limit: perPage + 1,
  })
  const slugs = new Map(tenants.map(({ id, slug }) => [id, slug]))
  const shown = found.slice(0, perPage)
  const { what, when, who, about, from } = texts.events
  const list = table({
    head: labelColumns(what, when, who, about, from, texts.securityLog.device),
    rows: shown.map((event) => eventRow(texts, event, slugs)),
    name: 'log',
  })
  const last = shown.at(-1)
  const body = html`!${filterForm(request, filters)}
!${last ? html`<div class="scroll">!${list}</div>` : emptyState(texts.securityLog.empty)}
!${pageLinks(texts, {
    first: before ? pageUrl('events.php', filters) : undefined,
    next: last && found.length > perPage ? pageUrl('events.php', { ...filters, before: last.seq }) : undefined,
  })}`
  return { kind: 'page', title: texts.frame.events, body }
}
