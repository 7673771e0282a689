// Opens the catalog and the databases for a command.

import { resolve } from 'node:path'
import type { AuditActor } from '../catalog/audit/audit-log.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { openPepper, type Pepper } from '../catalog/pepper/pepper.ts'
import type { Config } from '../config.ts'
import { resources } from '../domain/declarations/all.ts'
import type { TenantDatabases } from '../engine/tenant-databases.ts'
import { type Databases, openDatabases } from '../tenants/databases/open-databases.ts'
import { requireTenant, type Tenant } from '../tenants/tenants.ts'

/** Opens the catalog, runs the callback and closes the catalog. Throws UserError if there is no installation, unless
 *  DATA_DIR has been prepared for a new one, or if the installation belongs to an older version (see
 *  requireInstallation). */
export async function withCatalog<T>(
  config: Config,
  callback: (catalog: Catalog, databases: TenantDatabases, opened: Databases) => Promise<T>,
  purpose: 'command' | 'restore' = 'command',
): Promise<T> {
  const opened = await openDatabases(config, resources, {}, purpose)
  try {
    return await callback(opened.catalog, opened.databases, opened)
  } finally {
    await opened.close()
  }
}

/** Changes a tenant. Returns it as it is afterwards. Throws UserError. */
export function changeTenant(
  config: Config,
  slug: string,
  change: (catalog: Catalog, tenant: Tenant, databases: TenantDatabases) => Promise<unknown>,
): Promise<Tenant> {
  return withCatalog(config, async (catalog, databases) => {
    await change(catalog, await requireTenant(catalog, slug), databases)
    return requireTenant(catalog, slug)
  })
}

/** Returns the installation's pepper, verified against the catalog. Throws UserError. */
export function openInstallationPepper(catalog: Catalog, config: Config): Promise<Pepper> {
  return openPepper(catalog, resolve(config.DATA_DIR), config.API_KEY_PEPPER)
}

/** Returns the actor for audit events that commands cause. Commands have no user account. */
export function cliActor(): AuditActor {
  return { now: new Date(), by: null, address: null, agent: null }
}
