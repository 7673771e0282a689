// Databases that nobody uses any more, and that could not be removed because their server could not be reached: copies of moves
// that were undone, databases of tenants that were deleted or never finished. A server removes them once it can.

import { randomUUID } from 'node:crypto'
import { type Catalog, keepsKeys } from '../catalog/catalog.ts'
import { type Database, type Row, Unavailable } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'
import type { TenantDatabaseState, TenantDatabases, TenantLocation } from '../storage/storage.ts'
import { ServerUnavailable } from '../storage/storage-router.ts'

export type Leftover = {
  tenant_id: string
  slug: string
  server: string
  /** Only a database that stands like this is removed; null: one in any state. */
  standing: TenantDatabaseState | null
}

/** Hears why something cannot be ended at present: which tenant it belongs to, and which server is away. */
export type Report = (failure: { tenant: string; server?: string; reason: string }) => void

/** How long one process has for the removal before others may try. Milliseconds. */
const leaseMs = 30_000

export async function insertLeftover(database: Database, leftover: Leftover): Promise<void> {
  const { tenant_id, slug, server, standing } = leftover
  const sql = `insert into leftovers (tenant_id, server, slug, standing, token, until) values (?, ?, ?, ?, '', '')
    on conflict (tenant_id, server) do update set standing = excluded.standing`
  await database.run(sql, [tenant_id, server, slug, standing])
}

/** Forgets what an earlier move has left where a new one goes, which removes it itself. Throws UserError while another process is
 *  at it. */
export async function claimLeftover(database: Database, tenantId: string, server: string): Promise<void> {
  const left = await database.get('select until from leftovers where tenant_id = ? and server = ?', [tenantId, server])
  if (!left) return
  if ((left.until as string) > new Date().toISOString())
    throw new UserError(`What an earlier move has left on ${server} is being removed; try again in a minute.`)
  await database.run('delete from leftovers where tenant_id = ? and server = ?', [tenantId, server])
}

/** Removes what can be removed by now. */
export async function removeLeftovers(catalog: Catalog, databases: TenantDatabases, report: Report): Promise<void> {
  const now = new Date().toISOString()
  const rows = await catalog.database.all('select * from leftovers where until < ?', [now])
  for (const row of rows as Row[] as (Leftover & { token: string })[]) {
    const place: TenantLocation = { id: row.tenant_id, server: row.server }
    const token = await takeOver(catalog, row)
    if (!token) continue
    try {
      await databases.remove(place, row.standing ?? undefined)
      await forget(catalog, row, token)
    } catch (error) {
      report(failureOf(row.slug, error as Error))
      await giveBack(catalog, row, token)
    }
  }
}

/** Runs a removal; a database whose server cannot be reached is noted in the transaction of `settle`, to be removed later.
 *  Whether it is gone now. */
export async function removeOrDefer(
  catalog: Catalog,
  remove: () => Promise<void>,
  leftover: Leftover,
  settle: (database: Database) => Promise<void>,
): Promise<boolean> {
  let isGone = true
  try {
    await remove()
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    isGone = false
  }
  await catalog.transaction(async (database) => {
    await settle(database)
    if (!isGone) await insertLeftover(database, leftover)
  }, keepsKeys)
  return isGone
}

export function failureOf(tenant: string, error: Error): Parameters<Report>[0] {
  const server = error instanceof ServerUnavailable ? error.server : undefined
  return { tenant, server, reason: error.message }
}

async function takeOver(catalog: Catalog, row: Leftover & { token: string }): Promise<string | undefined> {
  const token = randomUUID()
  const until = new Date(Date.now() + leaseMs).toISOString()
  const sql = 'update leftovers set token = ?, until = ? where tenant_id = ? and server = ? and token = ?'
  const values = [token, until, row.tenant_id, row.server, row.token]
  const taken = await catalog.transaction(async (database) => database.run(sql, values), keepsKeys)
  return taken === 1 ? token : undefined
}

async function giveBack(catalog: Catalog, row: Leftover, token: string): Promise<void> {
  const sql = `update leftovers set until = '' where tenant_id = ? and server = ? and token = ?`
  await catalog.transaction(async (database) => database.run(sql, [row.tenant_id, row.server, token]), keepsKeys)
}

async function forget(catalog: Catalog, row: Leftover, token: string): Promise<void> {
  const sql = 'delete from leftovers where tenant_id = ? and server = ? and token = ?'
  await catalog.transaction(async (database) => database.run(sql, [row.tenant_id, row.server, token]), keepsKeys)
}
