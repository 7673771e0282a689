// The last step of a restore: one transaction makes the restored tenant visible, and puts the one that it replaces aside.

import { type AuditActor, writeEvent } from '../../catalog/audit-log.ts'
import { type Catalog, transitionalStates } from '../../catalog/catalog.ts'
import { insertDueTenant } from '../../catalog/due-tenants.ts'
import { moveTenantRows } from '../../catalog/tenant-rows.ts'
import type { Database } from '../../database/database.ts'
import { UserError } from '../../lib/user-error.ts'
import type { Tenant } from '../tenants.ts'
import type { ArchivedTenant } from './manifest.ts'

type Restoration = {
  /** With an id of its own; its database is complete. */
  tenant: Tenant
  /** The tenant that it replaces. */
  present: Tenant | undefined
  /** The schema version of its database. */
  schema: number
  archived: ArchivedTenant
  seq: number
  undone: number
}

/** The replaced tenant is suspended under another slug, with its records. Its API keys, users and usage go over to the restored one.
 *  Returns that slug, and the number of valid API keys. Throws UserError. */
export function publishRestored(
  catalog: Catalog,
  { tenant, present, schema, archived, seq, undone }: Restoration,
  actor: AuditActor,
): Promise<{ aside: string | null; keys: number }> {
  const { id, slug, state, trial_ends, created_at, suspended_because } = tenant
  return catalog.transaction(async (database) => {
    const aside = present ? await putAside(database, present, actor) : null
    const sql = `select 1 as taken from tenants where slug = ? and state not in ${transitionalStates}`
    if (await database.get(sql, [slug])) throw new UserError(`The tenant ${slug} was created in the meantime.`)
    const update = `update tenants set state = ?, trial_ends = ?, created_at = ?, suspended_because = ?, schema_version = ?
      where id = ? and state = 'creating'`
    const updated = await database.run(update, [state, trial_ends, created_at, suspended_because, schema, id])
    if (updated === 0) throw new UserError(`Restoring tenant ${slug} took too long; try again.`)
    if (present) await moveTenantRows(database, present.id, id)
    await insertDueTenant(database, id, actor.now)
    const detail = { slug, backup: archived.made_at, seq, ...(undone > 0 && { undone }), ...(aside && { aside }) }
    await writeEvent(database, 'tenant_restored', actor, { tenantId: id, detail })
    const row = await database.get('select count(*) as keys from api_keys where tenant_id = ? and revoked_at is null', [
      id,
    ])
    return { aside, keys: row!.keys as number }
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

/** `acme-replaced`, or with a number behind it. */
async function freeSlug(database: Database, slug: string): Promise<string> {
  for (let number = 1; ; number++) {
    const end = number === 1 ? '-replaced' : `-replaced-${number}`
    const candidate = slug.slice(0, 40 - end.length) + end
    const sql = `select 1 as taken from tenants where slug = ? and state not in ${transitionalStates}`
    if (!(await database.get(sql, [candidate]))) return candidate
  }
}
