// What the commands stand on: the catalog and the databases of a data directory, for the time of one command.

import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { resources } from '../resources/all.ts'
import { sqliteDatabases } from '../storage/sqlite/files.ts'
import type { Databases } from '../storage/storage.ts'
import { type Catalog, openCatalog } from '../tenancy/catalog.ts'

/** Opens the catalog, does the work, closes it in any case. */
export async function withCatalog<T>(
  config: Config,
  work: (catalog: Catalog, databases: Databases) => Promise<T>,
): Promise<T> {
  const directory = resolve(config.DATA_DIR)
  const catalog = openCatalog(directory)
  try {
    return await work(catalog, sqliteDatabases(directory, resources))
  } finally {
    catalog.close()
  }
}

/** Rows as lines of aligned columns, for people. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? []
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
