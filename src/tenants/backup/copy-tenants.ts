// Copies tenants into backup files one after another, while they are in use.

import type { Catalog } from '../../catalog/catalog.ts'
import type { Resources } from '../../domain/declarations/resource.ts'
import type { TenantDatabases } from '../../engine/tenant-databases.ts'
import { errorMessageOf } from '../../lib/errors.ts'
import { findTenant, type Tenant } from '../tenants.ts'
import { isDiskFailure } from './access.ts'
import { type ArchiveTarget, writeVerified } from './archive.ts'
import type { ArchivedTenant, Manifest } from './manifest.ts'
import type { LostFile } from './reuse.ts'
import { readFingerprint, withSnapshotFile } from './snapshot.ts'

export type BackupDependencies = {
  catalog: Catalog
  databases: TenantDatabases
  resources: Resources
  now: () => Date
  onProgress?: (done: number, total: number) => void
  /** Called after each tenant, with the time that its backup took. */
  pause?: (tookMs: number) => Promise<void>
}

/** `last`: the last backup in the directory; undefined if there is none. `sinceLast`: whether a tenant that has not
 *  changed since then keeps its file. */
export type RunningBackup = ArchiveTarget & {
  deps: BackupDependencies
  sinceLast: boolean
  last: Manifest | undefined
  lost: LostFile[]
}

export type CopiedTenants = {
  entries: ArchivedTenant[]
  copied: string[]
  unchanged: string[]
  failed: { slug: string; reason: string }[]
}

/** A tenant that cannot be read keeps its file from the last backup, and is listed in `failed`. */
export async function copyTenants(run: RunningBackup, tenants: Tenant[]): Promise<CopiedTenants> {
  const { deps, last } = run
  const result: CopiedTenants = { entries: [], copied: [], unchanged: [], failed: [] }
  for (const [done, tenant] of tenants.entries()) {
    const start = performance.now()
    deps.onProgress?.(done, tenants.length)
    const earlier = last?.tenants.find(({ id }) => id === tenant.id)
    try {
      const entry = await copyFromCurrentServer(run, tenant, earlier)
      if (!entry) continue
      result.entries.push(entry)
      const list = entry.file === earlier?.file ? result.unchanged : result.copied
      list.push(tenant.slug)
    } catch (error) {
      if (isDiskFailure(error)) throw error
      result.failed.push({ slug: tenant.slug, reason: reasonOf(error, tenant, run.lost) })
      if (earlier) result.entries.push(earlier)
    }
    await deps.pause?.(performance.now() - start)
  }
  return result
}

function reasonOf(error: unknown, { slug }: Tenant, lost: LostFile[]): string {
  const message = errorMessageOf(error)
  const file = lost.find((each) => each.slug === slug)
  return file ? `${message}; its earlier backup cannot be used either: ${file.reason}` : message
}

/** Copies a tenant, or keeps the tenant's file if the tenant is unchanged. If the tenant is moved during the copy,
 *  tries again on the new server. Returns undefined if the tenant was deleted. */
async function copyFromCurrentServer(
  run: RunningBackup,
  { id, slug }: Tenant,
  earlier: ArchivedTenant | undefined,
): Promise<ArchivedTenant | undefined> {
  const find = async () => {
    const tenant = await findTenant(run.deps.catalog, slug)
    return tenant?.id === id ? tenant : undefined
  }
  for (let tenant = await find(); tenant; ) {
    try {
      return (earlier && (await keepUnchanged(run, tenant, earlier))) ?? (await copyTenant(run, tenant))
    } catch (error) {
      const { server } = tenant
      tenant = await find()
      if (tenant?.server === server) throw error
    }
  }
  return undefined
}

/** Returns the manifest entry of a tenant that has not changed since its file was written; undefined if the tenant has
 *  changed, or unchanged tenants must be copied too. */
async function keepUnchanged(
  { deps, sinceLast }: RunningBackup,
  tenant: Tenant,
  earlier: ArchivedTenant,
): Promise<ArchivedTenant | undefined> {
  if (!sinceLast) return undefined
  const verified_at = deps.now().toISOString()
  const erasures = await lastErasure(deps.catalog, tenant)
  const fingerprint = await deps.databases.read(tenant, (tenantDatabase) =>
    readFingerprint(tenantDatabase, deps.resources, erasures),
  )
  return fingerprint === earlier.fingerprint ? { ...earlier, ...aboutTenant(tenant), verified_at } : undefined
}

async function copyTenant(run: RunningBackup, tenant: Tenant): Promise<ArchivedTenant> {
  const { deps, scratch } = run
  const erasures = await lastErasure(deps.catalog, tenant)
  const made_at = deps.now().toISOString()
  return writeVerified(run, tenant.id, (write) =>
    withSnapshotFile({ ...deps, scratch }, tenant, erasures, async (file, content) => ({
      ...aboutTenant(tenant),
      ...content,
      made_at,
      verified_at: made_at,
      ...(await write(file)),
    })),
  )
}

/** Returns the number of the last audit event about erasing one of the tenant's people; 0 if there is none. */
async function lastErasure({ database }: Catalog, { id }: Tenant): Promise<number> {
  const sql = `select coalesce(max(seq), 0) as seq from audit_events where tenant_id = ? and event = 'person_erased'`
  return (await database.get<{ seq: number }>(sql, [id]))!.seq
}

function aboutTenant({ id, slug, name, state, trial_ends, created_at }: Tenant) {
  return { id, slug, name, state, trial_ends, created_at }
}
