// The last step of a restore: one transaction makes the restored tenant visible, and puts the replaced tenant aside.

import { type AuditActor, writeEvent } from '../../../catalog/audit/audit-log.ts'
import { type Catalog, transitionalStates } from '../../../catalog/catalog.ts'
import { insertDueTenant } from '../../../catalog/tables/due-tenants.ts'
import { moveTenantRows } from '../../../catalog/tables/tenant-rows.ts'
import type { Database } from '../../../engine/database/database.ts'
import { UserError } from '../../../lib/user-error.ts'
import type { Tenant } from '../../tenants.ts'
import type { ArchivedTenant } from '../manifest.ts'

type Restoration = {
  /** The restored tenant, with a new id. Its database is complete. */
  tenant: Tenant
  /** The tenant to replace. */
  existing: Tenant | undefined
  /** The restored database's schema version. */
  schema: number
  archived: ArchivedTenant
  seq: number
  undone: number
}

/** Suspends the replaced tenant under another slug. Its records stay, but its API keys, users and usage move to the
 *  restored tenant. Returns the other slug, and how many of the restored tenant's API keys are not revoked. Throws
 *  UserError. */
export function publishRestored(
  catalog: Catalog,
  { tenant, existing, schema, archived, seq, undone }: Restoration,
  actor: AuditActor,
): Promise<{ aside: string | null; keys: number }> {
  const { id, slug, state, trial_ends, created_at, suspended_because } = tenant
  return catalog.transaction(async (database) => {
    const aside = existing ? await putAside(database, existing, actor) : null
    const sql = `select 1 as taken from tenants where slug = ? and state not in ${transitionalStates}`
    if (await database.get(sql, [slug])) throw new UserError(`The tenant ${slug} was created in the meantime.`)
    const update = `update tenants set state = ?, trial_ends = ?, created_at = ?, suspended_because = ?, schema_version = ?
      where id = ? and state = 'creating'`
    const updated = await database.run(update, [state, trial_ends, created_at, suspended_because, schema, id])
    if (updated === 0) throw new UserError(`Restoring tenant ${slug} took too long; try again.`)
    if (existing) await moveTenantRows(database, existing.id, id)
    await insertDueTenant(database, id, actor.now)
    const detail = { slug, backup: archived.made_at, seq, ...(undone > 0 && { undone }), ...(aside && { aside }) }
    await writeEvent(database, 'tenant_restored', actor, { tenantId: id, detail })
    const countKeys = 'select count(*) as keys from api_keys where tenant_id = ? and revoked_at is null'
    const { keys } = (await database.get<{ keys: number }>(countKeys, [id]))!
    return { aside, keys }
  })
}

/** Throws UserError if the tenant cannot be replaced now. */
async function putAside(database: Database, { id, slug, name }: Tenant, actor: AuditActor): Promise<string> {
  if (await database.get('select 1 as found from tenant_moves where tenant_id = ?', [id]))
    throw new UserError(`Tenant ${slug} is being moved to another server; restore it after the move.`)
  const aside = await freeSlug(database, slug)
  const because = `Replaced by a backup on ${actor.now.toISOString().slice(0, 10)}`
  const sql = `update tenants set slug = ?, name = ?, state = 'suspended', suspended_because = ?
    where id = ? and slug = ? and state not in ${transitionalStates}`
  const renamed = await database.run(sql, [aside, `${[...name].slice(0, 80).join('')} (replaced)`, because, id, slug])
  if (renamed === 0) throw new UserError(`There is no tenant ${slug}.`)
  return aside
}

/** Returns `acme-replaced`, or `acme-replaced-2` and so on if that is taken. */
async function freeSlug(database: Database, slug: string): Promise<string> {
  for (let number = 1; ; number++) {
    const end = number === 1 ? '-replaced' : `-replaced-${number}`
    const candidate = slug.slice(0, 40 - end.length) + end
    const sql = `select 1 as taken from tenants where slug = ? and state not in ${transitionalStates}`
    if (!(await database.get(sql, [candidate]))) return candidate
  }
}
