// The `due_tenants` table lists the tenants that have jobs, and when the next step of these jobs is due. To run jobs, a
// node opens only the databases of due tenants, so the table must always contain every tenant with jobs. An entry for a
// tenant without jobs does no harm: the jobs themselves are in the tenants' databases, so the node finds nothing to
// run.

import type { Database } from '../../engine/database/database.ts'
import { type Catalog, keepsCachedKeys } from '../catalog.ts'

/** A mark is kept for this long, even if the tenant has no job yet. By then, the job has been created or its creation
 *  has failed: operations are refused after 5 s in the queue, and statements are cancelled after 10 s. */
const markTtlMs = 60_000

/** Marks the tenant as due. Call this before creating a job. */
export async function markTenantDue(catalog: Catalog, tenantId: string, now: Date): Promise<void> {
  await catalog.transaction((database) => insertDueTenant(database, tenantId, now), keepsCachedKeys)
}

/** Like markTenantDue, in the caller's transaction. */
export async function insertDueTenant(database: Database, tenantId: string, now: Date): Promise<void> {
  const sql = `insert into due_tenants (tenant_id, due_at, marked_at) values (?, ?, ?)
    on conflict (tenant_id) do update set due_at = excluded.due_at, marked_at = excluded.marked_at`
  const time = now.toISOString()
  await database.run(sql, [tenantId, time, time])
}

/** Lists the active tenants whose jobs need work now. Jobs of other tenants wait until their tenant is active. */
export async function listDueTenants(catalog: Catalog, now: Date): Promise<{ id: string; server: string }[]> {
  const time = now.toISOString()
  return catalog.database.all<{ id: string; server: string }>(
    `select t.id, t.server from due_tenants d join tenants t on t.id = d.tenant_id
     where d.due_at <= ? and (t.state = 'active' or (t.state = 'trial' and t.trial_ends >= ?)) order by d.due_at`,
    [time, time.slice(0, 10)],
  )
}

/** Counts the tenants with jobs that need work now. `dueAt`: when the first of them became due. */
export async function findOldestDue(catalog: Catalog, now: Date): Promise<{ tenants: number; dueAt: string | null }> {
  const sql = 'select count(*) as tenants, min(due_at) as due_at from due_tenants where due_at <= ?'
  const row = await catalog.database.get<{ tenants: number; due_at: string | null }>(sql, [now.toISOString()])
  return { tenants: row!.tenants, dueAt: row!.due_at }
}

/** Stores when one of the tenant's jobs next needs work. `nextDueAt`: null if the tenant has no jobs. If the tenant was
 *  marked recently, leaves its row unchanged. */
export async function postponeTenant(
  catalog: Catalog,
  tenantId: string,
  nextDueAt: string | null,
  now: Date,
): Promise<void> {
  const notMarkedRecently = 'where tenant_id = ? and marked_at < ?'
  const values = [tenantId, new Date(now.getTime() - markTtlMs).toISOString()]
  const postpone = async (database: Database) =>
    nextDueAt === null
      ? database.run(`delete from due_tenants ${notMarkedRecently}`, values)
      : database.run(`update due_tenants set due_at = ? ${notMarkedRecently}`, [nextDueAt, ...values])
  await catalog.transaction(postpone, keepsCachedKeys)
}
