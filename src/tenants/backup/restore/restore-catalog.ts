// Restores only the catalog, after it was lost or damaged: tenants, API keys and users. The tenants' databases stay as
// they are, with everything that was changed after the backup.

import { type AuditActor, writeEvent } from '../../../catalog/audit/audit-log.ts'
import { builtInServers, type Catalog, transitionalStates } from '../../../catalog/catalog.ts'
import { tablesOf } from '../../../catalog/copy/copy-rows.ts'
import { Unavailable } from '../../../engine/database/database.ts'
import type { Connection } from '../../../engine/database/sqlite/connection.ts'
import type { TenantDatabases } from '../../../engine/tenant-databases.ts'
import { UserError } from '../../../lib/user-error.ts'
import { listServerNames } from '../../databases/database-servers.ts'
import { listTenants, type Tenant } from '../../tenants.ts'
import { notBackedUp } from '../catalog-file.ts'
import { countRowsOf, fillCatalog, isInUse, type RestoreAllRequest, withBackup } from './catalog-rows.ts'
import type { RestoredInstallation } from './restore-all.ts'

/** `moved`: the tenants that were moved to another server after the backup. `missing`: the tenants whose database was
 *  not found, with the reason. */
export type RestoredCatalog = Omit<RestoredInstallation, 'missing'> & { missing: { slug: string; reason: string }[] }

/** Throws UserError if the catalog has content or a server may be using it, or if the backup is damaged. */
export async function restoreCatalog(
  deps: { catalog: Catalog; databases: TenantDatabases; claimFiles(): boolean },
  request: RestoreAllRequest,
  actor: AuditActor,
): Promise<RestoredCatalog> {
  const { catalog, databases } = deps
  if (!deps.claimFiles()) throw new UserError('A server is using this DATA_DIR: stop it first.')
  if (await isInUse(catalog.database)) throw catalogInUse(catalog)
  return withBackup(request, async ({ source, manifest: { made_at } }) => {
    await removeUnfinished(source)
    const counts = { users: countRowsOf(source, 'users'), keys: countRowsOf(source, 'api_keys') }
    await catalog.transaction(async (database) => {
      if (await isInUse(database)) throw catalogInUse(catalog)
      await fillCatalog(source, database)
      const detail = { backup: made_at, catalog_only: true, ...counts }
      await writeEvent(database, 'installation_restored', actor, { detail })
    })
    const tenants = await listTenants(catalog)
    return { made_at, tenants: tenants.length, ...counts, ...(await findDatabases(catalog, databases, tenants)) }
  })
}

function catalogInUse({ defaultServer }: Catalog): UserError {
  const remedy =
    defaultServer === builtInServers.files
      ? 'move catalog.sqlite away together with its -wal and -shm'
      : 'rename the schema `tenantdesk` in the database of DATABASE_URL'
  return new UserError(
    `The current catalog can be read, and has tenants, users or API keys. To replace it, stop the server and ${remedy}.`,
  )
}

/** Removes tenants that were being created at the time of the backup. A server would take them for abandoned, and
 *  delete the database of a tenant that has been in use ever since. */
async function removeUnfinished(source: Connection): Promise<void> {
  const tables = await tablesOf(source, notBackedUp)
  await source.transaction(async () => {
    const isUnfinished = `(select id from tenants where state = 'creating')`
    for (const { name, columns } of tables.toReversed())
      if (columns.includes('tenant_id')) source.run(`delete from ${name} where tenant_id in ${isUnfinished}`)
    source.run(`delete from tenants where state = 'creating'`)
  })
}

/** Looks for each tenant's database where the catalog says that it is, and then on the other servers. */
async function findDatabases(
  catalog: Catalog,
  databases: TenantDatabases,
  tenants: Tenant[],
): Promise<Pick<RestoredCatalog, 'moved' | 'missing'>> {
  const builtIn =
    catalog.defaultServer === builtInServers.files ? [builtInServers.files] : Object.values(builtInServers)
  const servers = [...builtIn, ...(await listServerNames(catalog))]
  const moved: string[] = []
  const missing: RestoredCatalog['missing'] = []
  for (const { id, slug, server } of tenants) {
    const problem = await findProblem(databases, id, server)
    if (problem === undefined) continue
    const other = await findServer(databases, id, servers)
    if (other === undefined) missing.push({ slug, reason: problem })
    else {
      const sql = `update tenants set server = ? where id = ? and state not in ${transitionalStates}`
      await catalog.transaction(async (database) => database.run(sql, [other, id]))
      moved.push(slug)
    }
  }
  return { moved, missing }
}

async function findServer(
  databases: TenantDatabases,
  id: string,
  servers: readonly string[],
): Promise<string | undefined> {
  for (const server of servers) if ((await findProblem(databases, id, server)) === undefined) return server
  return undefined
}

/** Returns why the tenant cannot be served from this server; undefined if its database is there. */
async function findProblem(databases: TenantDatabases, id: string, server: string): Promise<string | undefined> {
  try {
    const { owner } = await databases.inspect({ id, server }, 0)
    return owner?.id === id && owner.state === 'open' ? undefined : 'the database there is not in use'
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    return error.message
  }
}
