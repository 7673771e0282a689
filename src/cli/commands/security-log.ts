// The command that prints the security log.

import { requireUserByEmail } from '../../accounts/users.ts'
import { type AuditEvent, isFromCommandLine, listEvents } from '../../catalog/audit/audit-log.ts'
import { browserName } from '../../lib/user-agent.ts'
import { UserError } from '../../lib/user-error.ts'
import { listTenants, requireTenant } from '../../tenants/tenants.ts'
import { type Command, command, jsonArray } from '../command.ts'
import { withCatalog } from '../context.ts'
import { printList, type TableColumns } from '../output.ts'

/** The events are read into memory, and take about 50 MB if there are this many. */
const maxLimit = 100_000

export const securityLogCommands: readonly Command[] = [
  command({
    words: 'events',
    help: 'Prints the security log, newest events first.',
    options: {
      tenant: { value: '<slug>', help: 'only events about this tenant, or about users who belong only to it' },
      user: { value: '<email>', help: 'only events about or by this user' },
      limit: { value: 'N', help: 'maximum number of events; by default 100' },
      json: jsonArray,
    },
    examples: ['events', 'events --tenant acme --limit 1000', 'events --user ada@example.com --json'],
    async run({ tenant: slug, user: email, limit: limitText = '100', json }, { config, terminal }) {
      const limit = readLimit(limitText)
      const events = await withCatalog(config, async (catalog) => {
        const tenantIds = slug === undefined ? undefined : [(await requireTenant(catalog, slug)).id]
        const userId = email === undefined ? undefined : (await requireUserByEmail(catalog, email)).id
        const slugs = new Map((await listTenants(catalog)).map(({ id, slug }) => [id, slug]))
        const events = await listEvents(catalog, { tenantIds, userId, limit: limit + 1 })
        return events.map((event) => ({ ...event, tenant_slug: slugs.get(event.tenant_id ?? '') ?? null }))
      })
      printList(terminal, { json, rows: events.slice(0, limit), columns: eventColumns, advice: 'No matching events.' })
      if (events.length > limit)
        terminal.stderr(`There are older events: these are the newest ${limit}. To print more, use --limit.`)
    },
  }),
]

const eventColumns: TableColumns<AuditEvent & { tenant_slug: string | null }> = {
  TIME: ({ at }) => at,
  EVENT: ({ event }) => event,
  BY: (event) => event.by_email ?? (isFromCommandLine(event) ? 'command line' : null),
  USER: ({ email }) => email,
  TENANT: ({ tenant_slug }) => tenant_slug,
  ADDRESS: ({ address }) => address,
  BROWSER: ({ agent }) => browserName(agent ?? ''),
  DETAILS: ({ detail }) => detail && JSON.stringify(detail),
}

/** Throws UserError. */
function readLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= maxLimit) return Number(text)
  throw new UserError(`--limit takes a number from 1 to ${maxLimit}, not ${JSON.stringify(text)}.`)
}
