// Checks in the background which tenants' databases fail and which database servers do not respond.

import type { Catalog } from '../../catalog/catalog.ts'
import type { TenantDatabases } from '../../engine/tenant-databases.ts'
import type { DatabaseHealth, FailureKind, HealthRecord } from '../../engine/tenant-health.ts'
import { repeat } from '../../lib/concurrency.ts'
import { errorMessageOf } from '../../lib/errors.ts'
import { listTenants, type Tenant } from '../tenants.ts'
import { listServerNames } from './database-servers.ts'

export type WatchDependencies = {
  catalog: Catalog
  databases: Pick<TenantDatabases, 'probe'>
  health: DatabaseHealth
  record: HealthRecord
  events: {
    /** `kind`: null if the last operation in the tenant's database succeeded. */
    tenantChanged(tenant: Tenant, kind: FailureKind | null): void
    /** `reason`: null if the server responds again. */
    serverChanged(server: string, reason: string | null): void
  }
  intervalMs?: number | undefined
}

export type DatabaseWatch = {
  /** The names of the database servers that do not respond. */
  unresponsiveServers: ReadonlySet<string>
  stop(): void
}

const defaultIntervalMs = 10_000

/** Checks at every interval, unless the previous check is still running. */
export function startDatabaseWatch(deps: WatchDependencies): DatabaseWatch {
  const { catalog, databases, health, record, events } = deps
  const unresponsiveServers = new Set<string>()
  let reported = new Map<string, FailureKind>()

  async function check(): Promise<void> {
    await checkServers()
    const tenants = await listTenants(catalog)
    await health.check(tenants)
    report(tenants)
  }

  /** While a server does not respond, only the server is reported, not its tenants. */
  function report(tenants: Tenant[]): void {
    const previous = reported
    reported = new Map()
    for (const tenant of tenants) {
      const before = previous.get(tenant.id) ?? null
      const isHidden = unresponsiveServers.has(tenant.server)
      const kind = isHidden ? before : (record.failures.get(tenant.id) ?? null)
      if (kind) reported.set(tenant.id, kind)
      if (kind !== before) events.tenantChanged(tenant, kind)
    }
  }

  async function checkServers(): Promise<void> {
    const names = await listServerNames(catalog)
    for (const name of unresponsiveServers) if (!names.includes(name)) unresponsiveServers.delete(name)
    await Promise.all(names.map(checkServer))
  }

  async function checkServer(server: string): Promise<void> {
    const wasUnresponsive = unresponsiveServers.has(server)
    try {
      await databases.probe({ id: '', server })
      unresponsiveServers.delete(server)
      if (wasUnresponsive) events.serverChanged(server, null)
    } catch (error) {
      unresponsiveServers.add(server)
      if (!wasUnresponsive) events.serverChanged(server, errorMessageOf(error))
    }
  }

  return { unresponsiveServers, stop: repeat(deps.intervalMs ?? defaultIntervalMs, check).stop }
}
