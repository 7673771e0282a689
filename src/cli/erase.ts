import { UserError } from '../lib/user-error.ts'
import { resources } from '../resources/declarations/all.ts'
import { eraseTenant } from '../tenants/erase.ts'
import { requireTenant } from '../tenants/tenants.ts'
import type { CommandHandler } from './command.ts'
import { cliActor, withCatalog } from './context.ts'

/** Erases a tenant for good. Works while the server is running. */
export const eraseTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const erasure = await withCatalog(config, async (catalog, databases) => {
    const tenant = await requireTenant(catalog, values[0]!)
    if (!options.yes) throw new UserError(`This erases everything about ${tenant.slug}, for good; to do it, add --yes.`)
    return eraseTenant(catalog, databases, resources, tenant, cliActor())
  })
  if (options.json) terminal.stdout(JSON.stringify(erasure))
  const { records, keys, users, audit_events: events } = erasure
  const counts = records === null ? [] : Object.entries(records).map(([name, count]) => `${count} ${name}`)
  const rows = [...counts, `${keys} API keys`, `${users} users`, `${events} entries of the security log`]
  terminal.stderr(`Tenant ${values[0]} is erased: ${rows.join(', ')}.`)
  terminal.stderr('Backups and exports made earlier still contain it: delete them, too.')
}
