// Tenants and their states (§3, contract §12).

import { type AuditActor, writeEvent } from '../catalog/audit/audit-log.ts'
import { type Catalog, transitionalStates } from '../catalog/catalog.ts'
import { isSlug, newId } from '../catalog/ids.ts'
import { removeTenantRows } from '../catalog/tables/tenant-rows.ts'
import type { Resources } from '../domain/declarations/resource.ts'
import { isDay } from '../domain/fields/field-values.ts'
import type { Database } from '../engine/database/database.ts'
import type { TenantDatabases } from '../engine/storage.ts'
import { UserError } from '../lib/user-error.ts'
import { isOneLine } from '../lib/visible-text.ts'
import { isServer, requireServer, unknownServer } from './databases/database-servers.ts'
import { failureOf, type Report, removeOrDefer } from './databases/leftover-databases.ts'

/** What operations on whole tenants work with. */
export type TenantDependencies = { catalog: Catalog; databases: TenantDatabases; resources: Resources }

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

export async function listTenants(catalog: Catalog): Promise<Tenant[]> {
  const sql = `select ${columns} from tenants where state not in ${transitionalStates} order by slug`
  return catalog.database.all<Tenant>(sql)
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
  return catalog.database.all<Tenant>(sql, [...preferred, limit])
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
  const rows = await database.all<{ state: string; tenants: number }>(sql)
  const counts = Object.fromEntries(rows.map(({ state, tenants }) => [state, tenants]))
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
  for (const row of await catalog.database.all<Pick<Tenant, 'id' | 'slug' | 'server'>>(sql, [creationLimit])) {
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
  if ([...name].length > 100 || !isOneLine(name))
    throw new UserError('A name is one line of at most 100 characters.', 'name_wrong')
  return name
}

/** Validates an optional reason: one line of at most 200 characters. Throws UserError. */
function readReason(input: string | undefined): string | null {
  const reason = input?.trim() || null
  if (reason !== null && ([...reason].length > 200 || !isOneLine(reason) || !reason.isWellFormed())) {
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
  return catalog.database.get<Tenant>(sql, [slug])
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

/** Creating many tenants takes longer than the minute after which finishTenants removes an unfinished one. */
const renewalIntervalMs = 20_000

async function renewUnfinished(catalog: Catalog, tenants: readonly Tenant[]): Promise<void> {
  const now = new Date().toISOString()
  await catalog.transaction(async (database) => {
    for (const { id } of tenants)
      await database.run(`update tenants set created_at = ? where id = ? and state = 'creating'`, [now, id])
  })
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
