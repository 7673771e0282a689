// Restores the rows of a backup's catalog.

import { join, resolve } from 'node:path'
import { copyTable, tablesOf } from '../../../catalog/copy/copy-rows.ts'
import { catalogFile, connectCatalog } from '../../../catalog/sqlite.ts'
import type { Database, Row } from '../../../engine/database/database.ts'
import type { Connection } from '../../../engine/database/sqlite/connection.ts'
import { createDirectory } from '../../../lib/files/files.ts'
import { UserError } from '../../../lib/user-error.ts'
import { readArchive } from '../archive.ts'
import { notBackedUp } from '../catalog-file.ts'
import { requireIntact } from '../database-file.ts'
import { filesFolder } from '../directory.ts'
import type { Manifest } from '../manifest.ts'
import { withScratch } from '../scratch.ts'
import { type BackupChoice, chooseManifest, explainProblem } from './extract.ts'

/** `scratchDirectory`: for temporary files, on the same disk as the tenant files. */
export type RestoreAllRequest = BackupChoice & { scratchDirectory: string }

/** A backup whose catalog was extracted. `choice`: with an absolute directory. */
type OpenedBackup = { source: Connection; manifest: Manifest; choice: BackupChoice; scratch: string }

/** Runs `callback` with the catalog of a backup. Throws UserError. */
export async function withBackup<T>(
  request: RestoreAllRequest,
  callback: (opened: OpenedBackup) => Promise<T>,
): Promise<T> {
  const choice = { ...request, directory: resolve(request.directory) }
  const manifest = await chooseManifest(choice)
  return withScratch(request.scratchDirectory, async (scratch) => {
    const source = await extractCatalog(choice, manifest, scratch)
    try {
      return await callback({ source, manifest, choice, scratch })
    } finally {
      source.close()
    }
  })
}

/** Extracts a backup's catalog into the scratch directory, and opens it with the current schema. Throws UserError. */
async function extractCatalog(
  { directory, access }: BackupChoice,
  { catalog }: Manifest,
  scratch: string,
): Promise<Connection> {
  if (!catalog)
    throw new UserError('The backup has no catalog, only single tenants: restore them one by one with --tenant.')
  const catalogDirectory = join(scratch, 'catalog')
  createDirectory(catalogDirectory)
  const path = catalogFile(catalogDirectory)
  await explainProblem(catalog.file, async () => {
    await readArchive(join(directory, filesFolder, catalog.file), catalog, path, access)
    requireIntact(path, catalog)
  })
  return connectCatalog(catalogDirectory)
}

/** Whether the catalog contains tenants, users or API keys. */
export async function isInUse(database: Pick<Database, 'get'>): Promise<boolean> {
  for (const table of ['tenants', 'users', 'api_keys'])
    if (await database.get(`select 1 as found from ${table} limit 1`)) return true
  return false
}

/** Copies all rows into an empty catalog. `changeTenant` can replace values in a tenant's row. */
export async function fillCatalog(
  source: Connection,
  database: Database,
  changeTenant: (row: Row) => Row = (row) => row,
): Promise<void> {
  const tables = await tablesOf(source, notBackedUp)
  for (const { name } of tables.toReversed()) await database.run(`delete from ${name}`) // rows that the first start wrote
  for (const table of tables)
    await copyTable(source, database, table, table.name === 'tenants' ? changeTenant : undefined)
}

export function countRowsOf(source: Connection, table: 'users' | 'api_keys'): number {
  return source.get<{ count: number }>(`select count(*) as count from ${table}`)!.count
}
