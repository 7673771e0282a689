// Records in the catalog to which schema the installation's servers migrate tenants. A command of a newer version must
// not migrate a tenant: the running server could no longer serve it.

import { type Catalog, keepsCachedKeys } from '../../catalog/catalog.ts'
import { InstallationRefusal, type Purpose } from './installation.ts'

/** Only `serve` raises the recorded version. Any other purpose throws UserError if this program's version is newer. */
export async function settleTenantSchema(catalog: Catalog, version: number, purpose: Purpose): Promise<void> {
  const recorded = await catalog.database.get<{ version: number }>('select version from tenant_schema')
  if (recorded && recorded.version >= version) return
  if (purpose !== 'serve')
    throw new InstallationRefusal(
      'older',
      "The tenants' databases belong to an older version of Tenantdesk, and only `tenantdesk serve` migrates them.",
      'Use the older version, or start the server of this version first.',
    )
  const sql = `insert into tenant_schema (id, version) values (1, ?)
    on conflict (id) do update set version = excluded.version`
  await catalog.transaction(async (database) => database.run(sql, [version]), keepsCachedKeys)
}
