// Finds tenants whose database cannot be used, quickly enough for a list of all tenants.

import { Unavailable } from '../../engine/database/database.ts'
import type { TenantDatabases, TenantLocation } from '../../engine/tenant-databases.ts'
import { createSemaphore } from '../../lib/concurrency.ts'

export type DatabaseFailure = 'missing' | 'damaged' | 'unavailable'

/** After this time, files are opened, but not searched for damage; `tenantdesk doctor` takes more time. */
const searchTimeMs = 2000

const maxConcurrent = 10

/** Returns the tenants whose database fails, by id. After a server has not responded once, it is not asked again. */
export async function findFailingDatabases(
  databases: Pick<TenantDatabases, 'inspect'>,
  tenants: readonly TenantLocation[],
): Promise<Map<string, DatabaseFailure>> {
  const failures = new Map<string, DatabaseFailure>()
  const unreachable = new Set<string>()
  const deadline = performance.now() + searchTimeMs
  const inspecting = createSemaphore(maxConcurrent)

  async function inspect(tenant: TenantLocation): Promise<DatabaseFailure | null> {
    if (unreachable.has(tenant.server)) return 'unavailable'
    try {
      return (await databases.inspect(tenant, deadline)).damage === null ? null : 'damaged'
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      if (error.outage === 'unreachable' || error.outage === 'password') unreachable.add(tenant.server)
      return error.outage === 'missing' || error.outage === 'damaged' ? error.outage : 'unavailable'
    }
  }

  await Promise.all(
    tenants.map((tenant) =>
      inspecting.run(async () => {
        const failure = await inspect(tenant)
        if (failure) failures.set(tenant.id, failure)
      }),
    ),
  )
  return failures
}
