// Which tenants have jobs that need work, and when: a node that starts opens only the databases of these. The jobs themselves
// are rows of the tenants' databases, so this table may name a tenant without any, but must never miss one.

import type { Database, Row } from '../database/database.ts'
import { type Catalog, keepsKeys } from './catalog.ts'

/** A job is created at most this long after its tenant was marked: operations are refused after 5 s in the queue, and
 *  statements after 10 s. Until then the mark stays, even if the tenant has no job yet. */
const markTtlMs = 60_000

/** Marks the tenant, before a job is created. */
export async function markTenantDue(catalog: Catalog, tenantId: string, now: Date): Promise<void> {
  await catalog.transaction((database) => insertDueTenant(database, tenantId, now), keepsKeys)
}

/** As markTenantDue, in the caller's transaction. */
export async function insertDueTenant(database: Database, tenantId: string, now: Date): Promise<void> {
  const sql = `insert into due_tenants (tenant_id, due_at, marked_at) values (?, ?, ?)
    on conflict (tenant_id) do update set due_at = excluded.due_at, marked_at = excluded.marked_at`
  const time = now.toISOString()
  await database.run(sql, [tenantId, time, time])
}

/** The tenants whose jobs need work now. Jobs of a tenant that is not active wait until it is. */
export async function listDueTenants(catalog: Catalog, now: Date): Promise<{ id: string; server: string }[]> {
  const time = now.toISOString()
  const rows = await catalog.database.all(
    `select t.id, t.server from due_tenants d join tenants t on t.id = d.tenant_id
     where d.due_at <= ? and (t.state = 'active' or (t.state = 'trial' and t.trial_ends >= ?)) order by d.due_at`,
    [time, time.slice(0, 10)],
  )
  return rows as Row[] as { id: string; server: string }[]
}

/** How many tenants have jobs that need work, and since when the first of them does. */
export async function findOldestDue(catalog: Catalog, now: Date): Promise<{ tenants: number; dueAt: string | null }> {
  const sql = 'select count(*) as tenants, min(due_at) as due_at from due_tenants where due_at <= ?'
  const row = await catalog.database.get(sql, [now.toISOString()])
  return { tenants: row!.tenants as number, dueAt: row!.due_at as string | null }
}

/** Notes when the tenant next has a job that needs work; null: it has none. Keeps a recent mark. */
export async function postponeTenant(
  catalog: Catalog,
  tenantId: string,
  nextDueAt: string | null,
  now: Date,
): Promise<void> {
  const unmarked = 'where tenant_id = ? and marked_at < ?'
  const values = [tenantId, new Date(now.getTime() - markTtlMs).toISOString()]
  const postpone = async (database: Database) =>
    nextDueAt === null
      ? database.run(`delete from due_tenants ${unmarked}`, values)
      : database.run(`update due_tenants set due_at = ? ${unmarked}`, [nextDueAt, ...values])
  await catalog.transaction(postpone, keepsKeys)
}
