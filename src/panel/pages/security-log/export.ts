// Exports the security log as a CSV file.

import { Readable } from 'node:stream'
import { hasSession } from '../../../accounts/sign-in/sessions.ts'
import { type AuditEvent, type EventsQuery, listEvents, recordEvent } from '../../../catalog/audit/audit-log.ts'
import { delimiters } from '../../../domain/exports/request.ts'
import { writeRows } from '../../../domain/exports/write.ts'
import { Problem } from '../../../problem.ts'
import type { Tenant } from '../../../tenants/tenants.ts'
import { ownText } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { PageError, type PageResponse } from '../../responses.ts'

/** One query reads at most this many events. */
const eventsPerQuery = 1000

const columns = ['seq', 'at', 'event', 'by_email', 'email', 'tenant', 'address', 'agent', 'detail'] as const

/** The indexes of the columns that contain text. */
const texts = new Set([...columns.keys()].filter((index) => columns[index] !== 'at'))

/** Exports the matching events, newest first. The export itself is also an event, so it comes first if it matches. */
export async function exportEvents(
  request: SignedInRequest,
  query: Omit<EventsQuery, 'limit' | 'before'>,
  tenants: readonly Tenant[],
): Promise<PageResponse> {
  const { deps, actor, query: parameters } = request
  const [format, name = 'comma'] = [parameters.get('format'), parameters.get('delimiter') ?? undefined]
  const delimiter = ownText(delimiters, name)
  if (format !== 'csv' || delimiter === undefined) throw new PageError(400, 'bad_request')
  await recordEvent(deps.catalog, 'log_exported', actor, {})
  const slugs = new Map(tenants.map(({ id, slug }) => [id, slug]))
  const body = Readable.from(write(request, query, slugs, delimiter))
  return { kind: 'file', body, headers: fileHeaders(deps.now()) }
}

function fileHeaders(now: Date): Record<string, string> {
  return {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="security-log-${now.toISOString().slice(0, 10)}.csv"`,
  }
}

/** If the user signs out, the export stops early. */
async function* write(
  { deps, session }: SignedInRequest,
  query: Omit<EventsQuery, 'limit' | 'before'>,
  slugs: ReadonlyMap<string, string>,
  delimiter: string,
): AsyncGenerator<string> {
  yield `\ufeff${writeRows([columns], delimiter)}`
  let before: number | undefined
  for (;;) {
    const events = await listEvents(deps.catalog, { ...query, before, limit: eventsPerQuery })
    if (events.length > 0)
      yield writeRows(
        events.map((event) => rowOf(event, slugs)),
        delimiter,
        texts,
      )
    if (events.length < eventsPerQuery) return
    before = events.at(-1)!.seq
    if (!(await hasSession(deps.catalog, session.id))) throw new Problem('unauthorized')
  }
}

function rowOf(event: AuditEvent, slugs: ReadonlyMap<string, string>): (string | number | null)[] {
  const tenant = event.tenant_id === null ? null : (slugs.get(event.tenant_id) ?? event.tenant_id)
  const detail = event.detail === null ? null : JSON.stringify(event.detail)
  return columns.map((name) => (name === 'tenant' ? tenant : name === 'detail' ? detail : event[name]))
}
