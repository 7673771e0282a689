// Moves all tenants to a database server, a few at a time. A tenant whose move fails stays on its server. The other
// moves continue unless the target has become unreachable. After a crash, the next run moves the tenants that are still
// on other servers.

import { setTimeout as wait } from 'node:timers/promises'
import type { AuditActor } from '../../catalog/audit/audit-log.ts'
import { Unavailable } from '../../engine/database/database.ts'
import type { TenantDatabases } from '../../engine/tenant-databases.ts'
import { UserError } from '../../lib/user-error.ts'
import { requireServer } from '../databases/database-servers.ts'
import { listTenants, type Tenant, type TenantDependencies } from '../tenants.ts'
import { moveTenant } from './move.ts'

/** `source`: only tenants on this server. `atOnce`: the maximum number of tenants moved at the same time. */
export type MoveAllRequest = { target: string; source?: string | undefined; atOnce: number }

type MoveAllDependencies = TenantDependencies & {
  actor: () => AuditActor
  onProgress: (done: number, total: number) => void
}

/** `error`: why the tenant was not moved; null if it is on the target. */
export type MoveOutcome = { slug: string; server: string; milliseconds: number; error: string | null }

/** `notStarted`: the tenants whose move was not started, because the target became unreachable. */
export type MoveAllResult = { outcomes: MoveOutcome[]; notStarted: string[] }

/** The delay before retrying a tenant that another process is moving. A running server finishes an abandoned move
 *  within 40 s. */
const retryIntervalMs = 500

/** Returns the outcomes in the order in which the moves ended. Throws UserError if the target or the source does not
 *  exist, and Unavailable if the target cannot be reached at the start. */
export async function moveAllTenants(
  { actor, onProgress, ...deps }: MoveAllDependencies,
  { target, source, atOnce }: MoveAllRequest,
): Promise<MoveAllResult> {
  const { catalog, databases } = deps
  for (const server of source === undefined ? [target] : [source, target]) await requireServer(catalog, server)
  const [outcomes, notStarted]: [MoveOutcome[], string[]] = [[], []]
  const queued = new Set<string>()
  let queue: Tenant[] = []
  let total = 0

  /** Fills the empty queue with the tenants that must be moved and have not been queued yet. Returns whether there are
   *  any such tenants. */
  async function fillQueue(): Promise<boolean> {
    const isToMove = ({ id, server }: Tenant) =>
      !queued.has(id) && server !== target && (source === undefined || server === source)
    queue = (await listTenants(catalog)).filter(isToMove)
    for (const { id } of queue) queued.add(id)
    total += queue.length
    return queue.length > 0
  }

  async function moveNext(tenant: Tenant): Promise<void> {
    const { slug } = tenant
    const startedAt = performance.now()
    const error = await moveTenant(deps, tenant, target, actor()).then(
      () => null,
      (failure: Error) => failure,
    )
    const reason = error instanceof UserError ? error.reason : undefined
    if (reason === 'move_running') {
      queue.push(tenant)
      await wait(retryIntervalMs)
    } else if (reason === 'tenant_missing') {
      total--
    } else {
      const message = error === null || reason === 'already_there' ? null : error.message
      outcomes.push({ slug, server: target, milliseconds: Math.round(performance.now() - startedAt), error: message })
      if (error instanceof Unavailable && !(await isReachable(databases, tenant, target)))
        notStarted.push(...queue.splice(0).map((waiting) => waiting.slug))
    }
    onProgress(outcomes.length, total)
  }

  async function moveFromQueue(): Promise<void> {
    for (let tenant = queue.shift(); tenant; tenant = queue.shift()) await moveNext(tenant)
  }

  while (await fillQueue()) {
    if (outcomes.length === 0) await databases.probe({ id: queue[0]!.id, server: target })
    await Promise.all(Array.from({ length: atOnce }, moveFromQueue))
  }
  return { outcomes, notStarted }
}

/** Whether the target is reachable, so that moves of other tenants can succeed. */
async function isReachable(databases: TenantDatabases, { id }: Tenant, target: string): Promise<boolean> {
  return databases.probe({ id, server: target }).then(
    () => true,
    () => false,
  )
}
