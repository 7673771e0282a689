// What the commands stand on: the catalog and the databases of an engine, for the time of one command.

import type { Config } from '../config.ts'
import { openEngine } from '../engine.ts'
import { resources } from '../resources/all.ts'
import type { Databases } from '../storage/storage.ts'
import type { Origin } from '../tenancy/audit.ts'
import type { Catalog } from '../tenancy/catalog.ts'

/** Opens the catalog, does the work, closes it in any case. */
export async function withCatalog<T>(
  config: Config,
  work: (catalog: Catalog, databases: Databases) => Promise<T>,
): Promise<T> {
  const engine = await openEngine(config, resources)
  try {
    return await work(engine.catalog, engine.databases)
  } finally {
    await engine.close()
  }
}

/** Who asks on the command line: nobody's account. */
export function commandLine(): Origin {
  return { now: new Date(), by: null, address: null, agent: null }
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
