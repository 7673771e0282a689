// Restores a whole installation, including its catalog, on a machine without an installation, for example after a
// machine was lost. The catalog's rows are written last, in a single transaction, so the installation is restored
// completely or not at all.

import { type AuditActor, writeEvent } from '../../../catalog/audit/audit-log.ts'
import type { Database } from '../../../engine/database/database.ts'
import type { Connection } from '../../../engine/database/sqlite/connection.ts'
import { errorMessageOf } from '../../../lib/errors.ts'
import { UserError } from '../../../lib/user-error.ts'
import type { Manifest } from '../manifest.ts'
import { countRowsOf, fillCatalog, isInUse, type RestoreAllRequest, withBackup } from './catalog-rows.ts'
import { createDatabase, extractTenant } from './extract.ts'
import type { RestoreDependencies } from './restore.ts'

/** `missing`: the tenants in the catalog that have no file in the backup. `moved`: the tenants that were on another
 *  database server. */
export type RestoredInstallation = {
  made_at: string
  tenants: number
  users: number
  keys: number
  missing: string[]
  moved: string[]
}

/** Restores every tenant with its former id, on the default database server. Throws UserError if there is already an
 *  installation, or the backup is damaged. */
export async function restoreAll(
  deps: Omit<RestoreDependencies, 'onProgress'> & { onProgress?: (done: number, total: number) => void },
  request: RestoreAllRequest,
  actor: AuditActor,
): Promise<RestoredInstallation> {
  const { catalog, databases } = deps
  await requireEmpty(catalog.database)
  return withBackup(request, async ({ source, manifest, choice, scratch }) => {
    for (const [done, archived] of manifest.tenants.entries()) {
      deps.onProgress?.(done, manifest.tenants.length)
      const tenant = { id: archived.id, server: catalog.defaultServer }
      await extractTenant(choice, { archived, scratch })
      await createDatabase(deps, tenant, { archived, scratch }).catch(explainExistingDatabase)
    }
    const target = { defaultServer: catalog.defaultServer, version: databases.version }
    return catalog.transaction((database) => writeCatalog(source, database, { manifest, ...target }, actor))
  })
}

/** Throws UserError if the catalog contains tenants, users or API keys. */
async function requireEmpty(database: Pick<Database, 'get'>): Promise<void> {
  if (await isInUse(database))
    throw new UserError('An installation already exists; --all only restores where there is none.')
}

/** A tenant's database may remain from a restore that failed. Nothing else refers to it yet. */
function explainExistingDatabase(error: unknown): never {
  const message = errorMessageOf(error)
  if (!message.includes('already exists')) throw error
  throw new UserError(
    `An earlier restore was interrupted (${message}). Empty DATA_DIR except for the pepper and .env (with DATABASE_URL, empty that database too), and repeat the command.`,
  )
}

async function writeCatalog(
  source: Connection,
  database: Database,
  { manifest, defaultServer, version }: { manifest: Manifest; defaultServer: string; version: number },
  actor: AuditActor,
): Promise<RestoredInstallation> {
  const archived = new Set(manifest.tenants.map(({ id }) => id))
  const moved: string[] = []
  await requireEmpty(database)
  await fillCatalog(source, database, (row) => {
    if (!archived.has(String(row.id))) return row
    if (row.server !== defaultServer) moved.push(String(row.slug))
    return { ...row, server: defaultServer, schema_version: version, migration_error: null }
  })
  const activeTenants = source.all<{ id: string; slug: string }>(
    `select id, slug from tenants where state not in ('creating', 'deleting') order by slug`,
  )
  const missing = activeTenants.filter(({ id }) => !archived.has(id)).map(({ slug }) => slug)
  const made_at = manifest.made_at
  const counts = { tenants: archived.size, users: countRowsOf(source, 'users'), keys: countRowsOf(source, 'api_keys') }
  await writeEvent(database, 'installation_restored', actor, { detail: { backup: made_at, ...counts } })
  return { made_at, ...counts, missing, moved }
}
