// The catalog in a backup: a SQLite file with tenants, API keys, users and the audit log. The file contains key hashes,
// but never the pepper. Without the pepper, nobody can use or guess a key.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { copyTable, tablesOf } from '../../catalog/copy/copy-rows.ts'
import { catalogFile, openSqliteCatalog } from '../../catalog/sqlite.ts'
import { connect } from '../../engine/database/sqlite/connection.ts'
import { createDirectory } from '../../lib/files/files.ts'
import { countRows, schemaOf, withDatabaseFile } from './database-file.ts'
import type { ArchivedDatabase } from './manifest.ts'

/** Tables that no backup contains. Sessions and links must not become valid again after a restore, kept pages belong to
 *  sessions, and the other tables describe the current installation. */
export const notBackedUp = [
  'sessions',
  'one_time_links',
  'kept_pages',
  'sign_in_attempts',
  'leases',
  'service_addresses',
  'tenant_moves',
  'leftover_databases',
  'catalog_version',
  'catalog_copies',
  'tenant_schema',
]

/** Copies the catalog into a file below `scratch`, and removes the file once `callback` has finished. */
export async function withCatalogFile<T>(
  catalog: Catalog,
  scratch: string,
  callback: (file: string, content: Pick<ArchivedDatabase, 'schema' | 'rows'>) => Promise<T>,
): Promise<T> {
  const directory = join(scratch, 'catalog')
  createDirectory(directory)
  try {
    await (await openSqliteCatalog(directory, 'migrate')).close()
    const copy = connect(catalogFile(directory))
    try {
      await catalog.snapshot((source) =>
        copy.transaction(async () => {
          for (const table of await tablesOf(copy, notBackedUp)) await copyTable(source, copy, table)
        }),
      )
      copy.exec('pragma journal_mode = delete') // so that the database is a single file
    } finally {
      copy.close()
    }
    const file = catalogFile(directory)
    const content = withDatabaseFile(file, (opened) => ({ schema: schemaOf(opened), rows: countRows(opened) }))
    return await callback(file, content)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
