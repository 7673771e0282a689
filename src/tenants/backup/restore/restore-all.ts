// Restores a whole installation, including its catalog, on a machine without an installation, for example after a
// machine was lost. The catalog's rows are written last, in a single transaction, so the installation is restored
// completely or not at all.

import { join, resolve } from 'node:path'
import { type AuditActor, writeEvent } from '../../../catalog/audit/audit-log.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { copyTable, tablesOf } from '../../../catalog/copy/copy-rows.ts'
import { catalogFile, connectCatalog, migrateCatalogFile } from '../../../catalog/sqlite.ts'
import type { Database } from '../../../database/database.ts'
import { createDirectory } from '../../../database/durable-files.ts'
import type { Connection } from '../../../database/sqlite/connection.ts'
import type { Passphrase } from '../../../lib/files/passphrase-encryption.ts'
import { UserError } from '../../../lib/user-error.ts'
import { readArchive } from '../archive.ts'
import { notBackedUp } from '../catalog-file.ts'
import { requireIntact } from '../database-file.ts'
import { filesFolder, type Manifest } from '../manifest.ts'
import { withScratch } from '../scratch.ts'
import { chooseManifest, explainDamage } from './choose-backup.ts'
import { createDatabase, extractTenant } from './extract.ts'
import type { RestoreDependencies } from './restore.ts'

export type RestoreAllRequest = {
  directory: string
  /** The name of the backup's manifest; null for the newest backup. */
  backup: string | null
  passphrase: Passphrase | undefined
  /** A directory for temporary files, on the same disk as the tenant files. */
  scratchDirectory: string
}

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
  await requireEmpty(catalog)
  const directory = resolve(request.directory)
  const manifest = chooseManifest(directory, request.backup)
  return withScratch(request.scratchDirectory, async (scratch) => {
    const source = await extractCatalog(directory, manifest, scratch, request.passphrase)
    try {
      for (const [done, archived] of manifest.tenants.entries()) {
        deps.onProgress?.(done, manifest.tenants.length)
        const path = join(directory, filesFolder, archived.file)
        await extractTenant(path, archived, scratch, request.passphrase)
        await createDatabase(deps, { id: archived.id, server: catalog.defaultServer }, archived.id, scratch)
      }
      const fill = (database: Database) => fillCatalog(source, database, manifest, databases.version, catalog, actor)
      return await catalog.transaction(fill)
    } finally {
      source.close()
    }
  })
}

/** Throws UserError if the catalog contains tenants, users or API keys. */
async function requireEmpty({ database }: Pick<Catalog, 'database'>): Promise<void> {
  for (const table of ['tenants', 'users', 'api_keys']) {
    if (await database.get(`select 1 as found from ${table} limit 1`))
      throw new UserError('An installation already exists; --all only restores where there is none.')
  }
}

/** Extracts the backup's catalog into the scratch directory, and opens it with the current schema. Throws UserError. */
async function extractCatalog(
  directory: string,
  { catalog }: Manifest,
  scratch: string,
  passphrase: Passphrase | undefined,
): Promise<Connection> {
  if (!catalog)
    throw new UserError('The backup has no catalog, only single tenants: restore them one by one with --tenant.')
  const catalogDirectory = join(scratch, 'catalog')
  createDirectory(catalogDirectory)
  const path = catalogFile(catalogDirectory)
  await explainDamage(catalog.file, async () => {
    await readArchive(join(directory, filesFolder, catalog.file), catalog, path, passphrase)
    requireIntact(path, catalog)
  })
  const connection = connectCatalog(catalogDirectory)
  await migrateCatalogFile(connection)
  return connection
}

async function fillCatalog(
  source: Connection,
  database: Database,
  manifest: Manifest,
  version: number,
  { defaultServer }: Catalog,
  actor: AuditActor,
): Promise<RestoredInstallation> {
  const archived = new Set(manifest.tenants.map(({ id }) => id))
  const moved: string[] = []
  const tables = await tablesOf(source, notBackedUp)
  await requireEmpty({ database })
  for (const { name } of tables.toReversed()) await database.run(`delete from ${name}`) // rows that the first start wrote
  for (const table of tables) {
    if (table.name !== 'tenants') await copyTable(source, database, table)
    else
      await copyTable(source, database, table, (row) => {
        if (!archived.has(row.id as string)) return row
        if (row.server !== defaultServer) moved.push(row.slug as string)
        return { ...row, server: defaultServer, schema_version: version, migration_error: null }
      })
  }
  const listed = source.all(`select id, slug from tenants where state not in ('creating', 'deleting') order by slug`)
  const missing = listed.filter(({ id }) => !archived.has(id as string)).map(({ slug }) => slug as string)
  const count = (table: string) => source.get(`select count(*) as count from ${table}`)!.count as number
  const made_at = manifest.made_at
  const counts = { tenants: archived.size, users: count('users'), keys: count('api_keys') }
  await writeEvent(database, 'installation_restored', actor, { detail: { backup: made_at, ...counts } })
  return { made_at, ...counts, missing, moved }
}
