// Records unused databases that could not be removed because their server was unreachable: the copies that undone moves
// left behind, and the databases of tenants that were deleted or whose creation failed. Every server process retries
// the removal in the background.

import { randomUUID } from 'node:crypto'
import { type Catalog, keepsCachedKeys, runStatement } from '../../catalog/catalog.ts'
import { type Database, Unavailable } from '../../engine/database/database.ts'
import { ServerUnavailable } from '../../engine/engine.ts'
import type { TenantDatabaseState, TenantDatabases } from '../../engine/tenant-databases.ts'
import { errorMessageOf } from '../../lib/errors.ts'
import { UserError } from '../../lib/user-error.ts'

export type Leftover = {
  tenant_id: string
  slug: string
  server: string
  /** Only a database in this state is removed; null: in any state. */
  state: TenantDatabaseState | null
}

/** Receives failures of background work. `server`: the unreachable server, if that is the cause. */
export type Report = (failure: { tenant: string; server?: string | undefined; reason: string }) => void

/** How long a process may take to remove a database before another process retries. */
const leaseMs = 30_000

async function insertLeftover(database: Database, leftover: Leftover): Promise<void> {
  const { tenant_id, slug, server, state } = leftover
  const sql = `insert into leftover_databases (tenant_id, server, slug, state, token, lease_expires_at) values (?, ?, ?, ?, '', '')
    on conflict (tenant_id, server) do update set state = excluded.state`
  await database.run(sql, [tenant_id, server, slug, state])
}

/** Hands the leftover of an earlier move over to a new move to the same server. The new move then removes it. Throws
 *  UserError while another process is removing the leftover. */
export async function claimLeftover(database: Database, tenantId: string, server: string): Promise<void> {
  const leftover = await database.get<{ lease_expires_at: string }>(
    'select lease_expires_at from leftover_databases where tenant_id = ? and server = ?',
    [tenantId, server],
  )
  if (!leftover) return
  if (leftover.lease_expires_at > new Date().toISOString())
    throw new UserError(`The remains of an earlier move on ${server} are being removed; try again in a minute.`)
  await database.run('delete from leftover_databases where tenant_id = ? and server = ?', [tenantId, server])
}

/** Removes the leftovers whose server is reachable again. */
export async function removeLeftovers(catalog: Catalog, databases: TenantDatabases, report: Report): Promise<void> {
  const now = new Date().toISOString()
  const sql = 'select * from leftover_databases where lease_expires_at < ?'
  for (const row of await catalog.database.all<Leftover & { token: string }>(sql, [now])) {
    const token = await takeOver(catalog, row)
    if (!token) continue
    const [isOwn, values] = ['where tenant_id = ? and server = ? and token = ?', [row.tenant_id, row.server, token]]
    try {
      await databases.remove({ id: row.tenant_id, server: row.server }, row.state ?? undefined)
      await runStatement(catalog, `delete from leftover_databases ${isOwn}`, values)
    } catch (error) {
      report(failureOf(row.slug, error))
      await runStatement(catalog, `update leftover_databases set lease_expires_at = '' ${isOwn}`, values)
    }
  }
}

/** Removes a database, then runs `settle` in a catalog transaction. If the database's server is unreachable, the same
 *  transaction records a leftover for later removal. Returns whether the database is gone. */
export async function removeOrDefer(
  catalog: Catalog,
  remove: () => Promise<void>,
  leftover: Leftover,
  settle: (database: Database) => Promise<void>,
): Promise<boolean> {
  let isRemoved = true
  try {
    await remove()
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    isRemoved = false
  }
  await catalog.transaction(async (database) => {
    await settle(database)
    if (!isRemoved) await insertLeftover(database, leftover)
  }, keepsCachedKeys)
  return isRemoved
}

export function failureOf(tenant: string, error: unknown): Parameters<Report>[0] {
  const server = error instanceof ServerUnavailable ? error.server : undefined
  return { tenant, server, reason: errorMessageOf(error) }
}

async function takeOver(catalog: Catalog, row: Leftover & { token: string }): Promise<string | undefined> {
  const token = randomUUID()
  const expiresAt = new Date(Date.now() + leaseMs).toISOString()
  const sql =
    'update leftover_databases set token = ?, lease_expires_at = ? where tenant_id = ? and server = ? and token = ?'
  const values = [token, expiresAt, row.tenant_id, row.server, row.token]
  const updatedRows = await runStatement(catalog, sql, values)
  return updatedRows === 1 ? token : undefined
}
