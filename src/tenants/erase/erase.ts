// Erases a tenant, or one person, and everything that is stored about them outside backups (GDPR article 17). The audit
// log keeps one entry that states how much was erased, when and by whom, without personal data.

import { type AuditActor, recordEvent, writeEvent } from '../../catalog/audit/audit-log.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { usersOfTenantAlone } from '../../catalog/tables/tenant-rows.ts'
import { withConfiguration } from '../../domain/declarations/configuration.ts'
import type { Resources } from '../../domain/declarations/resource.ts'
import { type ErasureRequest, erasureOperations } from '../../domain/people-data/operations.ts'
import type { ChangeContext } from '../../domain/records/changes.ts'
import { type Database, Unavailable } from '../../engine/database/database.ts'
import type { Engine } from '../../engine/engine.ts'
import type { IdempotencyKeyUse } from '../../engine/responses/idempotency.ts'
import type { StoredResponse } from '../../engine/responses/stored-response.ts'
import type { TenantDatabases } from '../../engine/tenant-databases.ts'
import { UserError } from '../../lib/user-error.ts'
import { removeLeftovers } from '../databases/leftover-databases.ts'
import { finishTenants, removeTenant } from '../lifecycle.ts'
import { finishMoves } from '../move/move.ts'
import { countIn } from '../tenant-stats.ts'
import type { Tenant, TenantDependencies } from '../tenants.ts'

/** What was erased. `records`: the number of rows of each resource, and of the history (`changes`); null if the
 *  database could not be read. `audit_events`: the number of audit events about the tenant and its users. */
export type TenantErasure = {
  slug: string
  erased_at: string
  records: Record<string, number> | null
  keys: number
  users: number
  audit_events: number
}

/** Unlike `deleteTenant`, also removes the tenant's audit events. Throws UserError or ServerUnavailable if any of the
 *  tenant's data cannot be reached. */
export async function eraseTenant(
  { catalog, databases, resources }: TenantDependencies,
  tenant: Tenant,
  actor: AuditActor,
): Promise<TenantErasure> {
  await databases.probe(tenant)
  await finishMoves(catalog, databases)
  await requireNoCopies(catalog, databases, tenant)
  const { slug } = tenant
  const counted = { slug, erased_at: actor.now.toISOString(), records: await countRows(databases, resources, tenant) }
  let erasure: TenantErasure | undefined
  const isGone = await removeTenant(catalog, databases, tenant, async (database) => {
    erasure = { ...counted, ...(await countCatalogRows(database, tenant)) }
    const { erased_at, ...detail } = erasure
    await writeEvent(database, 'tenant_erased', actor, { tenantId: tenant.id, detail })
    await removeOlderEvents(database, tenant)
  })
  await catalog.compact()
  if (!isGone) throw notRemovedYet(slug)
  return erasure!
}

function notRemovedYet(slug: string): UserError {
  const sentence = `Tenant ${slug} is deleted, but its database cannot be removed now; the server removes it as soon as it can.`
  return new UserError(sentence)
}

type ErasureEvent = { tenant_id: string; at: string; detail: string }

/** Called when the command is repeated: removes what an interrupted erasure has left behind, and returns that erasure's
 *  result. Returns undefined if no tenant with this slug was erased. Throws UserError if the database still cannot be
 *  removed. */
export async function finishErasure(
  catalog: Catalog,
  databases: TenantDatabases,
  slug: string,
  now: Date,
): Promise<TenantErasure | undefined> {
  const sql = `select tenant_id, at, detail from audit_events where event = 'tenant_erased' order by seq desc`
  for (const { tenant_id: id, at, detail } of await catalog.database.all<ErasureEvent>(sql)) {
    const counted: Omit<TenantErasure, 'erased_at'> = JSON.parse(detail)
    if (counted.slug !== slug) continue
    await finishTenants(catalog, databases, now)
    await catalog.compact()
    if (await catalog.database.get('select 1 as found from tenants where id = ?', [id])) throw notRemovedYet(slug)
    return { ...counted, erased_at: at }
  }
  return undefined
}

/** Removes the copies that undone moves have left behind. Throws UserError if a copy's server is unreachable. */
async function requireNoCopies(catalog: Catalog, databases: TenantDatabases, { id, slug }: Tenant): Promise<void> {
  const sql = 'select server from leftover_databases where tenant_id = ?'
  if (!(await catalog.database.get(sql, [id]))) return
  await removeLeftovers(catalog, databases, () => {})
  const leftover = await catalog.database.get(sql, [id])
  if (!leftover) return
  throw new UserError(
    `A copy of tenant ${slug} is on server ${leftover.server}, which cannot be reached: erase the tenant when the server is reachable again.`,
  )
}

async function countRows(
  databases: TenantDatabases,
  resources: Resources,
  tenant: Tenant,
): Promise<TenantErasure['records']> {
  const tables = [...withConfiguration(resources).map(({ name }) => name), 'changes']
  try {
    return await databases.read(tenant, async ({ database }) => {
      const counts: [string, number][] = []
      for (const table of tables) counts.push([table, await countIn(database, table)])
      return Object.fromEntries(counts)
    })
  } catch (error) {
    if (error instanceof Unavailable) return null
    throw error
  }
}

async function countCatalogRows(
  database: Database,
  { id }: Tenant,
): Promise<Pick<TenantErasure, 'keys' | 'users' | 'audit_events'>> {
  return {
    keys: await countIn(database, 'api_keys where tenant_id = ?', [id]),
    users: await countIn(database, `(${usersOfTenantAlone}) u`, [id]),
    audit_events: await countIn(database, `audit_events where ${aboutTenant}`, [id, id]),
  }
}

/** A condition that selects the tenant's events, and failed sign-ins with the email address of a user who is deleted
 *  with the tenant. It takes the tenant's id twice. */
const aboutTenant = `(tenant_id = ? or email in (select email from users where id in (${usersOfTenantAlone})))`

/** Removes the events about the tenant except the newest one, which records the erasure. */
async function removeOlderEvents(database: Database, { id }: Tenant): Promise<void> {
  const sql = `delete from audit_events where ${aboutTenant} and seq < (select max(seq) from audit_events)`
  await database.run(sql, [id, id])
}

/** Erases a person in a tenant's database, and records the erasure in the audit log, without personal data. The caller
 *  then compacts the database, to remove what remains in its free space. */
export async function erasePerson(
  { catalog, engine }: { catalog: Catalog; engine: Pick<Engine, 'run'> },
  tenant: Tenant,
  input: { context: ChangeContext; idempotency: IdempotencyKeyUse | null; request: ErasureRequest },
  actor: AuditActor,
): Promise<StoredResponse> {
  const response = await engine.run(tenant, erasureOperations.erasePerson, input)
  if (response.status === 200 && !response.replay) {
    const detail = { slug: tenant.slug, resource: input.request.resource, ...JSON.parse(response.body) }
    await recordEvent(catalog, 'person_erased', actor, { tenantId: tenant.id, detail })
  }
  return response
}
