// Tenants and their states (§3, contract §12).

import { type AuditActor, writeEvent } from '../catalog/audit/audit-log.ts'
import { type Catalog, transitionalStates } from '../catalog/catalog.ts'
import { isSlug, newId } from '../catalog/ids.ts'
import { removeTenantRows } from '../catalog/tables/tenant-rows.ts'
import type { Database, Row } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'
import { isDay } from '../resources/field-values.ts'
import type { TenantDatabases } from '../storage/storage.ts'
import { isServer, requireServer, unknownServer } from './databases/database-servers.ts'
import { failureOf, type Report, removeOrDefer } from './databases/leftover-databases.ts'

export type Tenant = {
  id: string
  slug: string
  name: string
  state: 'trial' | 'active' | 'suspended'
  trial_ends: string | null
  created_at: string
  /** The name of the tenant's database server. */
  server: string
  /** The reason for the suspension, for operators only; the tenant never sees it. */
  suspended_because: string | null
  /** For how many days the tenant's history is kept; 0: forever; null: the installation's setting. */
  history_days: number | null
}

const columns = 'id, slug, name, state, trial_ends, created_at, server, suspended_because, history_days'

/** Creates a tenant with an empty database. If the process crashes during the creation, the tenant is not visible.
 *  Throws UserError. */
export async function createTenant(
  catalog: Catalog,
  databases: TenantDatabases,
  input: { slug: string; name?: string | undefined; trialEnds?: string | undefined; server?: string | undefined },
  actor: AuditActor,
): Promise<Tenant> {
  requireSlug(input.slug)
  if (input.trialEnds !== undefined && !isDay(input.trialEnds)) {
    throw new UserError(`${JSON.stringify(input.trialEnds)} is not a date: --trial-ends takes YYYY-MM-DD.`, 'day_wrong')
  }
  const name = readName(input.name, input.slug)
  await finishTenants(catalog, databases, actor.now)
  if (await findTenant(catalog, input.slug))
    throw new UserError(`The tenant ${input.slug} already exists.`, 'slug_taken')
  const tenant: Tenant = {
    id: newId(),
    slug: input.slug,
    name,
    state: input.trialEnds ? 'trial' : 'active',
    trial_ends: input.trialEnds ?? null,
    created_at: actor.now.toISOString(),
    server: input.server ?? catalog.defaultServer,
    suspended_because: null,
    history_days: null,
  }
  await requireServer(catalog, tenant.server)
  await databases.probe(tenant) // before any write, so that nothing needs to be undone
  await insertUnfinished(catalog, tenant)
  try {
    await databases.create(tenant)
  } catch (error) {
    await discardTenant(catalog, databases, tenant).catch(() => {}) // if this fails, a background job retries later
    throw error
  }
  await publishTenant(catalog, databases, tenant, actor)
  return tenant
}

export async function listTenants(catalog: Catalog): Promise<Tenant[]> {
  const sql = `select ${columns} from tenants where state not in ${transitionalStates} order by slug`
  return (await catalog.database.all(sql)) as Row[] as Tenant[]
}

/** Returns the first tenants for a menu: those with `preferred` slugs, then others by name. */
export async function listFirstTenants(
  catalog: Catalog,
  limit: number,
  preferred: readonly string[],
): Promise<Tenant[]> {
  const rank = preferred.length > 0 ? `slug not in (${preferred.map(() => '?').join(', ')}), ` : ''
  const sql = `select ${columns} from tenants where state not in ${transitionalStates}
    order by ${rank}name, slug limit ?`
  return (await catalog.database.all(sql, [...preferred, limit])) as Row[] as Tenant[]
}

export async function hasTenants(catalog: Catalog): Promise<boolean> {
  return (
    (await catalog.database.get(`select 1 as found from tenants where state not in ${transitionalStates} limit 1`)) !==
    undefined
  )
}

/** Returns the number of tenants in each state. */
export async function countTenantsByState({ database }: Catalog): Promise<Record<Tenant['state'], number>> {
  const sql = `select state, count(*) as tenants from tenants where state not in ${transitionalStates} group by state`
  const rows = await database.all(sql)
  const counts = Object.fromEntries(rows.map(({ state, tenants }) => [state as string, tenants as number]))
  return { active: 0, trial: 0, suspended: 0, ...counts }
}

export async function requireTenant(catalog: Catalog, slug: string): Promise<Tenant> {
  const tenant = await findTenant(catalog, slug)
  if (!tenant) throw new UserError(unknownTenant(slug))
  return tenant
}

/** Rejects the tenant's requests until it is activated again. Throws UserError. */
export async function suspendTenant(
  catalog: Catalog,
  { id, slug }: Tenant,
  reason: string | undefined,
  actor: AuditActor,
): Promise<void> {
  const because = readReason(reason)
  const set = `state = 'suspended', suspended_because = ?`
  await catalog.transaction(async (database) => {
    const sql = `update tenants set ${set} where id = ? and state not in ${transitionalStates}`
    if ((await database.run(sql, [because, id])) === 0) throw new UserError(unknownTenant(slug))
    const detail = { slug, ...(because !== null && { reason: because }) }
    await writeEvent(database, 'tenant_suspended', actor, { tenantId: id, detail })
  })
}

/** Ends a suspension or a trial. Throws UserError. */
export async function activateTenant(catalog: Catalog, { id, slug }: Tenant, actor: AuditActor): Promise<void> {
  const set = `state = 'active', trial_ends = null, suspended_because = null`
  await catalog.transaction(async (database) => {
    const sql = `update tenants set ${set} where id = ? and state not in ${transitionalStates}`
    if ((await database.run(sql, [id])) === 0) throw new UserError(unknownTenant(slug))
    await writeEvent(database, 'tenant_activated', actor, { tenantId: id, detail: { slug } })
  })
}

/** Deletes a tenant with its keys, its database, and the users who have no other tenant. Its keys stop working
 *  immediately. Returns whether the database is gone; if the server is unreachable, the database is removed later.
 *  Throws UserError. */
export function deleteTenant(
  catalog: Catalog,
  databases: TenantDatabases,
  tenant: Tenant,
  actor: AuditActor,
): Promise<boolean> {
  return removeTenant(catalog, databases, tenant, (database) =>
    writeEvent(database, 'tenant_deleted', actor, { tenantId: tenant.id, detail: { slug: tenant.slug } }),
  )
}

/** Like deleteTenant, but `record` writes the audit event. It is called in the transaction that removes the tenant's
 *  rows, before the rows are removed. */
export async function removeTenant(
  catalog: Catalog,
  databases: TenantDatabases,
  tenant: Tenant,
  record: (database: Database) => Promise<void>,
): Promise<boolean> {
  const { slug } = tenant
  await catalog.transaction(async (database) => {
    if (await database.get('select 1 as found from tenant_moves where tenant_id = ?', [tenant.id]))
      throw new UserError(`Tenant ${slug} is being moved to another server; delete it after the move.`, 'tenant_moving')
    const sql = `update tenants set state = 'deleting' where id = ? and state not in ${transitionalStates}`
    if ((await database.run(sql, [tenant.id])) === 0) throw new UserError(unknownTenant(slug))
    await record(database)
    await removeTenantRows(database, tenant.id)
  })
  return discardTenant(catalog, databases, tenant).catch(() => false) // the row stays, so a background job retries
}

/** Cleans up after a crash: removes tenants whose deletion is not finished, and tenants whose creation has taken more
 *  than a minute. */
export async function finishTenants(
  catalog: Catalog,
  databases: TenantDatabases,
  now: Date,
  report: Report = () => {},
): Promise<void> {
  const creationLimit = new Date(now.getTime() - 60_000).toISOString()
  const sql = `select id, slug, server from tenants where state in ${transitionalStates} and (state = 'deleting' or created_at < ?)`
  for (const row of (await catalog.database.all(sql, [creationLimit])) as Row[] as Tenant[]) {
    // After a failure, the row stays for the next attempt.
    await discardTenant(catalog, databases, row).catch((error: Error) => report(failureOf(row.slug, error)))
  }
}

/** Whether requests are served: a trial is active until the end of its last day, UTC (contract §12). */
export function isActive(tenant: Tenant, now: Date): boolean {
  if (tenant.state === 'trial') return now.toISOString().slice(0, 10) <= tenant.trial_ends!
  return tenant.state === 'active'
}

/** Validates a display name: one line of at most 100 characters. Throws UserError. */
export function readName(input: string | undefined, fallback: string): string {
  const name = input?.trim() || fallback
  if ([...name].length > 100 || /\p{Cc}/u.test(name))
    throw new UserError('A name is one line of at most 100 characters.', 'name_wrong')
  return name
}

/** Validates an optional reason: one line of at most 200 characters. Throws UserError. */
function readReason(input: string | undefined): string | null {
  const reason = input?.trim() || null
  if (reason !== null && ([...reason].length > 200 || /\p{Cc}/u.test(reason) || !reason.isWellFormed())) {
    throw new UserError('A reason is one line of at most 200 characters.', 'reason_long')
  }
  return reason
}

/** Throws UserError if the text is not a valid slug. */
export function requireSlug(slug: string): void {
  if (isSlug(slug)) return
  throw new UserError(
    `${JSON.stringify(slug)} is not a slug: a slug has 2 to 40 characters (a-z, 0-9 and -) and starts with a letter.`,
    'slug_wrong',
  )
}

export function unknownTenant(slug: string): string {
  return `There is no tenant ${slug}.`
}

export async function findTenant(catalog: Catalog, slug: string): Promise<Tenant | undefined> {
  if (!isSlug(slug)) return undefined
  const sql = `select ${columns} from tenants where slug = ? and state not in ${transitionalStates}`
  return (await catalog.database.get(sql, [slug])) as Row | undefined as Tenant | undefined
}

/** Inserts the row of a tenant that is being created. The tenant is not visible until its state changes, and is removed
 *  if the creation takes more than a minute. Throws UserError. */
export async function insertUnfinished(catalog: Catalog, tenant: Tenant): Promise<void> {
  const { id, slug, name, trial_ends, created_at, server, history_days } = tenant
  const sql = `insert into tenants (${columns}) values (?, ?, ?, 'creating', ?, ?, ?, null, ?)`
  const isInserted = await catalog.transaction(async (database) => {
    if (!(await isServer(database, catalog, server))) return false
    await database.run(sql, [id, slug, name, trial_ends, created_at, server, history_days])
    return true
  })
  if (!isInserted) throw new UserError(unknownServer(server))
}

/** Completes a tenant's creation: makes the tenant visible and records the event. Throws UserError if another tenant
 *  has taken the slug by now, or if the creation took too long. */
async function publishTenant(
  catalog: Catalog,
  databases: TenantDatabases,
  tenant: Tenant,
  actor: AuditActor,
): Promise<void> {
  const refusal = await catalog.transaction(async (database) => {
    const sql = `select 1 as taken from tenants where slug = ? and state not in ${transitionalStates}`
    if (await database.get(sql, [tenant.slug])) return `The tenant ${tenant.slug} already exists.`
    const update = `update tenants set state = ?, schema_version = ? where id = ? and state = 'creating'`
    const updated = await database.run(update, [tenant.state, databases.version, tenant.id])
    if (updated === 0) return `Creating tenant ${tenant.slug} took too long; try again.`
    await writeEvent(database, 'tenant_created', actor, { tenantId: tenant.id, detail: { slug: tenant.slug } })
    return null
  })
  if (refusal === null) return
  await discardTenant(catalog, databases, tenant)
  throw new UserError(refusal)
}

/** Removes the database first and the row last, so that the removal can be retried after a crash. If the server is
 *  unreachable, removes the row and records the database as a leftover. Returns whether the database is gone. */
export async function discardTenant(
  catalog: Catalog,
  databases: TenantDatabases,
  { id, slug, server }: Pick<Tenant, 'id' | 'slug' | 'server'>,
): Promise<boolean> {
  const leftover = { tenant_id: id, slug, server, state: null }
  const remove = () => databases.remove({ id, server })
  return removeOrDefer(catalog, remove, leftover, async (database) => {
    await database.run(`delete from tenants where id = ? and state in ${transitionalStates}`, [id])
  })
}
