// The beginning and the end of a tenant: its row and its database are created together, and removed together.

import { type AuditActor, writeEvent } from '../catalog/audit/audit-log.ts'
import { type Catalog, runStatement, transitionalStates } from '../catalog/catalog.ts'
import { newId } from '../catalog/ids.ts'
import { removeTenantRows } from '../catalog/tables/tenant-rows.ts'
import { isDay } from '../domain/fields/field-values.ts'
import type { Database } from '../engine/database/database.ts'
import type { TenantDatabases } from '../engine/tenant-databases.ts'
import { UserError } from '../lib/user-error.ts'
import { isServer, requireServer, unknownServer } from './databases/database-servers.ts'
import { failureOf, type Report, removeOrDefer } from './databases/leftover-databases.ts'
import { findTenant, readName, requireSlug, type Tenant, tenantColumns, unknownTenant } from './tenants.ts'

export type NewTenant = {
  slug: string
  name?: string | undefined
  trialEnds?: string | undefined
  server?: string | undefined
}

/** Creates a tenant with an empty database. If the process crashes during the creation, the tenant is not visible.
 *  Throws UserError. */
export async function createTenant(
  catalog: Catalog,
  databases: TenantDatabases,
  input: NewTenant,
  actor: AuditActor,
): Promise<Tenant> {
  const [tenant] = await createTenants(catalog, databases, [input], actor)
  return tenant!
}

/** Creates all of these tenants or none: they become visible in one transaction. Throws UserError. */
export async function createTenants(
  catalog: Catalog,
  databases: TenantDatabases,
  inputs: readonly NewTenant[],
  actor: AuditActor,
): Promise<Tenant[]> {
  const tenants = inputs.map((input) => toTenant(catalog, input, actor.now))
  await finishTenants(catalog, databases, actor.now)
  for (const { slug } of tenants)
    if (await findTenant(catalog, slug)) throw new UserError(`The tenant ${slug} already exists.`, 'slug_taken')
  for (const [server, [first]] of Map.groupBy(tenants, ({ server }) => server)) {
    await requireServer(catalog, server)
    await databases.probe(first!) // before any write, so that nothing needs to be undone
  }
  const started: Tenant[] = []
  try {
    let lastRenewal = Date.now()
    for (const tenant of tenants) {
      await insertUnfinished(catalog, tenant)
      started.push(tenant)
      await databases.create(tenant)
      if (Date.now() - lastRenewal < renewalIntervalMs) continue
      lastRenewal = Date.now()
      await renewUnfinished(catalog, started)
    }
    await publishTenants(catalog, databases, tenants, actor)
  } catch (error) {
    // If this fails, a background job retries later.
    for (const tenant of started) await discardTenant(catalog, databases, tenant).catch(() => {})
    throw error
  }
  return tenants
}

/** Throws UserError for an invalid value. */
function toTenant(catalog: Catalog, { slug, name, trialEnds, server }: NewTenant, now: Date): Tenant {
  requireSlug(slug)
  if (trialEnds !== undefined && !isDay(trialEnds))
    throw new UserError(`${JSON.stringify(trialEnds)} is not a date: --trial-ends takes YYYY-MM-DD.`, 'day_wrong')
  return {
    id: newId(),
    slug,
    name: readName(name, slug),
    state: trialEnds ? 'trial' : 'active',
    trial_ends: trialEnds ?? null,
    created_at: now.toISOString(),
    server: server ?? catalog.defaultServer,
    suspended_because: null,
    history_days: null,
  }
}

/** Inserts the row of a tenant that is being created. The tenant is not visible until its state changes, and is removed
 *  if the creation takes more than a minute. Throws UserError. */
export async function insertUnfinished(catalog: Catalog, tenant: Tenant): Promise<void> {
  const { id, slug, name, trial_ends, created_at, server, history_days } = tenant
  const sql = `insert into tenants (${tenantColumns}) values (?, ?, ?, 'creating', ?, ?, ?, null, ?)`
  await catalog.transaction(async (database) => {
    if (!(await isServer(database, catalog, server))) throw new UserError(unknownServer(server))
    await database.run(sql, [id, slug, name, trial_ends, created_at, server, history_days])
  })
}

/** Creating many tenants takes longer than the minute after which finishTenants removes an unfinished one. */
const renewalIntervalMs = 20_000

/** Shows that this process is still creating the tenants. */
export async function renewUnfinished(catalog: Catalog, tenants: readonly Tenant[]): Promise<void> {
  const sql = `update tenants set created_at = ? where id = ? and state = 'creating'`
  for (const { id } of tenants) await runStatement(catalog, sql, [new Date().toISOString(), id])
}

/** Completes the tenants' creation: makes them visible and records the events. Throws UserError if another tenant has
 *  taken a slug by now, or if the creation took too long. */
async function publishTenants(
  catalog: Catalog,
  databases: TenantDatabases,
  tenants: readonly Tenant[],
  actor: AuditActor,
): Promise<void> {
  const isTaken = `select 1 as taken from tenants where slug = ? and state not in ${transitionalStates}`
  const update = `update tenants set state = ?, schema_version = ?, created_at = ? where id = ? and state = 'creating'`
  await catalog.transaction(async (database) => {
    for (const { id, slug, state, created_at: createdAt } of tenants) {
      if (await database.get(isTaken, [slug])) throw new UserError(`The tenant ${slug} already exists.`)
      if ((await database.run(update, [state, databases.version, createdAt, id])) === 0)
        throw new UserError(`Creating tenant ${slug} took too long; try again.`)
      await writeEvent(database, 'tenant_created', actor, { tenantId: id, detail: { slug } })
    }
  })
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
  for (const row of await catalog.database.all<Pick<Tenant, 'id' | 'slug' | 'server'>>(sql, [creationLimit])) {
    // After a failure, the row stays for the next attempt.
    await discardTenant(catalog, databases, row).catch((error: Error) => report(failureOf(row.slug, error)))
  }
}
