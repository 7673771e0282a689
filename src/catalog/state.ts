// Determines whether there is a catalog and whether its version is current. Does not use the functions that open the
// catalog, because they would migrate it.

import { join } from 'node:path'
import { Unavailable } from '../database/database.ts'
import { openPool } from '../database/postgres/pool.ts'
import type { Connection } from '../database/sqlite/connection.ts'
import { examineFile } from '../database/sqlite/examine.ts'
import { fileStamp } from '../database/sqlite/file-stamp.ts'
import { catalogSchema } from './postgres.ts'
import { catalogMigrations, latestVersion } from './schema.ts'

export type CatalogState = { kind: 'missing' | 'older' | 'newer' | 'current' } | { kind: 'unreadable'; reason: string }

/** `databaseUrl`: empty if the catalog is in the directory. */
export async function readCatalogState(directory: string, databaseUrl: string): Promise<CatalogState> {
  const engine = databaseUrl === '' ? 'sqlite' : 'postgres'
  try {
    const version = engine === 'sqlite' ? readFileVersion(directory) : await readServerVersion(databaseUrl)
    if (version === undefined) return { kind: 'missing' }
    const latest = latestVersion(catalogMigrations(engine))
    if (version === latest) return { kind: 'current' }
    return { kind: version < latest ? 'older' : 'newer' }
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    return { kind: 'unreadable', reason: error.message }
  }
}

function readFileVersion(directory: string): number | undefined {
  const path = join(directory, 'catalog.sqlite')
  if (!fileStamp(path)) return undefined
  const readVersion = (connection: Connection) => connection.get('pragma user_version')!.user_version as number
  return examineFile(path, readVersion, () => true)
}

async function readServerVersion(url: string): Promise<number | undefined> {
  const pool = openPool(url, 1)
  try {
    if (!(await pool.get(`select 1 as found where to_regclass('${catalogSchema}.catalog_version') is not null`)))
      return undefined
    const row = await pool.get(`select schema_version from ${catalogSchema}.catalog_version`)
    return row?.schema_version as number | undefined
  } finally {
    await pool.close()
  }
}
