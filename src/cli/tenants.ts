import { recordEvent } from '../catalog/audit-log.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { UserError } from '../lib/user-error.ts'
import { resources } from '../resources/declarations/all.ts'
import { listSchemaStates } from '../tenants/migration-status.ts'
import { finishMoves, moveTenant } from '../tenants/move.ts'
import {
  activateTenant,
  createTenant,
  deleteTenant,
  listTenants,
  requireTenant,
  suspendTenant,
  type Tenant,
} from '../tenants/tenants.ts'
import type { CommandHandler } from './command.ts'
import { cliActor, table, withCatalog } from './context.ts'

export const createTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const input = {
    slug: values[0]!,
    name: options.name as string | undefined,
    trialEnds: options['trial-ends'] as string | undefined,
    server: options.server as string | undefined,
    now: new Date(),
  }
  const tenant = await withCatalog(config, async (catalog, databases) => {
    const tenant = await createTenant(catalog, databases, input)
    await record(catalog, 'tenant_created', tenant)
    return tenant
  })
  const until = tenant.trial_ends ? `, on trial to the end of ${tenant.trial_ends}` : ''
  terminal.stdout(tenant.slug)
  terminal.stderr(
    `Tenant ${tenant.slug} is ready${until}. Next: npx tenantdesk key create ${tenant.slug} --scope '*:read' --scope '*:write'`,
  )
}

export const listTenantsCommand: CommandHandler = async ({ options }, config, terminal) => {
  const tenants = await withCatalog(config, async (catalog, { version }) => {
    const states = await listSchemaStates(catalog, version)
    return (await listTenants(catalog)).map((each) => ({ ...each, database: states.get(each.id) ?? 'behind' }))
  })
  if (options.json) return terminal.stdout(JSON.stringify(tenants))
  if (tenants.length === 0) return terminal.stderr('There is no tenant yet: npx tenantdesk tenant create <slug>')
  const lines = tenants.map((each) => [
    each.slug,
    each.state,
    each.trial_ends ?? '',
    each.server,
    each.created_at,
    each.database,
    each.name,
  ])
  terminal.stdout(table(lines))
}

export const suspendTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  await withCatalog(config, async (catalog) => {
    await suspendTenant(catalog, values[0]!, options.reason as string | undefined)
    await record(catalog, 'tenant_suspended', await requireTenant(catalog, values[0]!))
  })
  terminal.stderr(`Tenant ${values[0]} is suspended: its requests are refused from now on.`)
}

export const activateTenantCommand: CommandHandler = async ({ values }, config, terminal) => {
  await withCatalog(config, async (catalog) => {
    await activateTenant(catalog, values[0]!)
    await record(catalog, 'tenant_activated', await requireTenant(catalog, values[0]!))
  })
  terminal.stderr(`Tenant ${values[0]} is active.`)
}

/** The tenant stays available during the move, except for a moment at the end. */
export const moveTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const input = { slug: values[0]!, to: options.to as string }
  await withCatalog(config, async (catalog, databases) => {
    await moveTenant(catalog, databases, resources, input)
    await record(catalog, 'tenant_moved', await requireTenant(catalog, input.slug), { server: input.to })
  })
  terminal.stderr(`Tenant ${input.slug} is on ${input.to} now, with its ids, history and kept answers.`)
}

export const deleteTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const isGone = await withCatalog(config, async (catalog, databases) => {
    const { slug } = await requireTenant(catalog, values[0]!)
    await finishMoves(catalog, databases)
    if (!options.yes) throw new UserError(`This deletes every record and key of ${slug}; to do it, add --yes.`)
    return deleteTenant(catalog, databases, slug, cliActor())
  })
  const records = isGone ? 'records and keys' : 'keys; its records go as soon as their server can be reached'
  terminal.stderr(`Tenant ${values[0]} is deleted, with its ${records}.`)
}

async function record(catalog: Catalog, event: string, { id, slug }: Tenant, more?: { server: string }): Promise<void> {
  await recordEvent(catalog, event, cliActor(), { tenantId: id, detail: { slug, ...more } })
}
