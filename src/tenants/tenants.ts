// Tenants and their states (§3, contract §12).

import { type AuditActor, writeEvent } from '../catalog/audit-log.ts'
import { type Catalog, transitionalStates } from '../catalog/catalog.ts'
import { isSlug, newId } from '../catalog/ids.ts'
import { removeTenantRows } from '../catalog/tenant-rows.ts'
import type { Row } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'
import { isDay } from '../resources/validate.ts'
import type { TenantDatabases } from '../storage/storage.ts'
import { isServer, requireServer, unknownServer } from './database-servers.ts'
import { failureOf, type Report, removeOrDefer } from './leftover-databases.ts'

export type Tenant = {
  id: string
  slug: string
  name: string
  state: 'trial' | 'active' | 'suspended'
  trial_ends: string | null
  created_at: string
  /** The server that its database is on. */
  server: string
  /** What whoever suspended it has said; it is in no answer to the tenant. */
  suspended_because: string | null
}

const columns = 'id, slug, name, state, trial_ends, created_at, server, suspended_because'

/** Makes a tenant with an empty database of its own. A crash on the way leaves nothing that anyone sees. */
export async function createTenant(
  catalog: Catalog,
  databases: TenantDatabases,
  input: { slug: string; name?: string; trialEnds?: string; server?: string; now: Date },
): Promise<Tenant> {
  requireSlug(input.slug)
  if (input.trialEnds !== undefined && !isDay(input.trialEnds)) {
    throw new UserError(`${JSON.stringify(input.trialEnds)} is not a day: --trial-ends takes YYYY-MM-DD.`, 'day_wrong')
  }
  const name = readName(input.name, input.slug)
  await finishTenants(catalog, databases, input.now)
  if (await findTenant(catalog, input.slug))
    throw new UserError(`There is a tenant ${input.slug} already.`, 'slug_taken')
  const tenant: Tenant = {
    id: newId(),
    slug: input.slug,
    name,
    state: input.trialEnds ? 'trial' : 'active',
    trial_ends: input.trialEnds ?? null,
    created_at: input.now.toISOString(),
    server: input.server ?? catalog.defaultServer,
    suspended_because: null,
  }
  await requireServer(catalog, tenant.server)
  await databases.probe(tenant) // before anything is written that would have to be undone
  await insertUnfinished(catalog, tenant)
  try {
    await databases.create(tenant)
  } catch (error) {
    await discard(catalog, databases, tenant).catch(() => {}) // else others do it in a minute
    throw error
  }
  await announce(catalog, databases, tenant)
  return tenant
}

export async function listTenants(catalog: Catalog): Promise<Tenant[]> {
  const sql = `select ${columns} from tenants where state not in ${transitionalStates} order by slug`
  return (await catalog.database.all(sql)) as Row[] as Tenant[]
}

export async function hasTenants(catalog: Catalog): Promise<boolean> {
  return (
    (await catalog.database.get(`select 1 as found from tenants where state not in ${transitionalStates} limit 1`)) !==
    undefined
  )
}

/** The tenant with this slug. Throws UserError. */
export async function requireTenant(catalog: Catalog, slug: string): Promise<Tenant> {
  const tenant = await findTenant(catalog, slug)
  if (!tenant) throw new UserError(`There is no tenant ${slug}.`)
  return tenant
}

/** Refuses the tenant's requests from now on, until it is activated. Throws UserError. */
export async function suspendTenant(catalog: Catalog, slug: string, reason?: string): Promise<void> {
  const because = readReason(reason)
  const tenant = await requireTenant(catalog, slug)
  const sql = `update tenants set state = 'suspended', suspended_because = ? where id = ?`
  await catalog.transaction(async (database) => database.run(sql, [because, tenant.id]))
}

/** Ends suspension and trial. */
export async function activateTenant(catalog: Catalog, slug: string): Promise<void> {
  const tenant = await requireTenant(catalog, slug)
  const sql = `update tenants set state = 'active', trial_ends = null, suspended_because = null where id = ?`
  await catalog.transaction(async (database) => database.run(sql, [tenant.id]))
}

/** Deletes a tenant, its keys, its managers and its database. From the first step on its keys are unknown. Whether its
 *  database is gone, too; where that cannot be reached, it goes once it can be. Throws UserError. */
export async function deleteTenant(
  catalog: Catalog,
  databases: TenantDatabases,
  slug: string,
  actor: AuditActor,
): Promise<boolean> {
  const tenant = await requireTenant(catalog, slug)
  await catalog.transaction(async (database) => {
    if (await database.get('select 1 as found from moves where tenant_id = ?', [tenant.id]))
      throw new UserError(
        `Tenant ${slug} is being moved to another server; delete it when that has ended.`,
        'tenant_moving',
      )
    const sql = `update tenants set state = 'deleting' where id = ? and state not in ${transitionalStates}`
    if ((await database.run(sql, [tenant.id])) === 0) throw new UserError(`There is no tenant ${slug}.`)
    await writeEvent(database, 'tenant_deleted', actor, { tenantId: tenant.id, detail: { slug } })
    await removeTenantRows(database, tenant.id)
  })
  return discard(catalog, databases, tenant).catch(() => false) // its row stays, for the next time
}

/** Ends what a crash has left half done: tenants being deleted, and those being made for longer than that can take. */
export async function finishTenants(
  catalog: Catalog,
  databases: TenantDatabases,
  now: Date,
  report: Report = () => {},
): Promise<void> {
  const creationLimit = new Date(now.getTime() - 60_000).toISOString()
  const sql = `select id, slug, server from tenants where state in ${transitionalStates} and (state = 'deleting' or created_at < ?)`
  for (const row of (await catalog.database.all(sql, [creationLimit])) as Row[] as Tenant[]) {
    await discard(catalog, databases, row).catch((error: Error) => report(failureOf(row.slug, error))) // its row stays
  }
}

/** Whether requests are served: a trial is active to the end of its last day, UTC (contract §12). */
export function isActive(tenant: Tenant, now: Date): boolean {
  if (tenant.state === 'trial') return now.toISOString().slice(0, 10) <= tenant.trial_ends!
  return tenant.state === 'active'
}

/** A name for people: one line of at most 100 characters. Throws UserError. */
export function readName(given: string | undefined, fallback: string): string {
  const name = given?.trim() || fallback
  if ([...name].length > 100 || /\p{Cc}/u.test(name))
    throw new UserError('A name is one line of at most 100 characters.', 'name_wrong')
  return name
}

/** One line for colleagues, or nothing. Throws UserError. */
function readReason(given: string | undefined): string | null {
  const reason = given?.trim() || null
  if (reason !== null && ([...reason].length > 200 || /\p{Cc}/u.test(reason) || !reason.isWellFormed())) {
    throw new UserError('A reason is one line of at most 200 characters.', 'reason_long')
  }
  return reason
}

function requireSlug(slug: string): void {
  if (isSlug(slug)) return
  throw new UserError(
    `${JSON.stringify(slug)} is not a slug: 2 to 40 of a-z, 0-9 and -, starting with a letter.`,
    'slug_wrong',
  )
}

/** The tenant with this slug, if there is one. */
export async function findTenant(catalog: Catalog, slug: string): Promise<Tenant | undefined> {
  if (!isSlug(slug)) return undefined
  const sql = `select ${columns} from tenants where slug = ? and state not in ${transitionalStates}`
  return (await catalog.database.get(sql, [slug])) as Row | undefined as Tenant | undefined
}

async function insertUnfinished(catalog: Catalog, tenant: Tenant): Promise<void> {
  const { id, slug, name, trial_ends, created_at, server } = tenant
  const sql = `insert into tenants (${columns}) values (?, ?, ?, 'creating', ?, ?, ?, null)`
  const isMade = await catalog.transaction(async (database) => {
    if (!(await isServer(database, catalog, server))) return false
    await database.run(sql, [id, slug, name, trial_ends, created_at, server])
    return true
  })
  if (!isMade) throw new UserError(unknownServer(server))
}

/** The last step of creation: now the tenant is there. Refused when another one took the slug meanwhile. */
async function announce(catalog: Catalog, databases: TenantDatabases, tenant: Tenant): Promise<void> {
  const refusal = await catalog.transaction(async (database) => {
    const sql = `select 1 as taken from tenants where slug = ? and state not in ${transitionalStates}`
    if (await database.get(sql, [tenant.slug])) return `There is a tenant ${tenant.slug} already.`
    const update = `update tenants set state = ?, schema_version = ? where id = ? and state = 'creating'`
    const announced = await database.run(update, [tenant.state, databases.version, tenant.id])
    return announced === 1 ? null : `Making tenant ${tenant.slug} took too long; try again.`
  })
  if (refusal === null) return
  await discard(catalog, databases, tenant)
  throw new UserError(refusal)
}

/** The database goes first, the row last: what is left after a crash is found again. Where the server cannot be reached, the row
 *  goes and the database is noted as left over. Whether it is gone. */
async function discard(
  catalog: Catalog,
  databases: TenantDatabases,
  { id, slug, server }: Pick<Tenant, 'id' | 'slug' | 'server'>,
): Promise<boolean> {
  const leftover = { tenant_id: id, slug, server, standing: null }
  const remove = () => databases.remove({ id, server })
  return removeOrDefer(catalog, remove, leftover, async (database) => {
    await database.run(`delete from tenants where id = ? and state in ${transitionalStates}`, [id])
  })
}
