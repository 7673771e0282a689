// Determines whether there is a catalog and whether its version is current. Does not use the functions that open the
// catalog, because they may migrate it.

import { statSync } from 'node:fs'
import { Damaged, Unavailable } from '../engine/database/database.ts'
import type { Pool } from '../engine/database/postgres/pool.ts'
import { type Connection, examineFile } from '../engine/database/sqlite/connection.ts'
import { findDamage } from '../engine/sqlite/whole-file.ts'
import { catalogSchema } from './postgres.ts'
import { catalogMigrations, latestVersion } from './schema.ts'
import { catalogFile } from './sqlite.ts'

/** `empty`: the file or the schema exists, but has no tables. `before-release`: written by a development version before
 *  1.0.0, whose schema versions were numbered differently. */
export type CatalogState =
  | { kind: 'missing' }
  | { kind: 'empty' }
  | { kind: 'before-release' }
  | { kind: 'newer' }
  | { kind: 'unreadable'; cause: Unavailable }
  | ({ kind: 'current' | 'older'; version: number } & CatalogContent)

/** `hasTenants`: whether there are tenants, or databases of former tenants to delete. `hasPepper`: whether a server has
 *  stored the fingerprint of its pepper. */
export type CatalogContent = { hasTenants: boolean; hasPepper: boolean }

/** Reads a data directory's catalog without changing any file. */
export function readFileState(directory: string): CatalogState {
  const path = catalogFile(directory)
  try {
    if (!statSync(path, { throwIfNoEntry: false })) return { kind: 'missing' }
    return examineFile(path, stateOf, () => true)
  } catch (error) {
    return unreadable(error)
  }
}

/** Reads every page of a data directory's catalog. Returns a description of the damage, or null if there is none. */
export function findCatalogDamage(directory: string): string | null {
  try {
    return examineFile(catalogFile(directory), findDamage, (damage) => damage === null)
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    return error.message
  }
}

function stateOf(connection: Connection): CatalogState {
  const has = (sql: string) => connection.get(sql) !== undefined
  const hasTable = (name: string) => has(`select 1 from sqlite_schema where type = 'table' and name = '${name}'`)
  if (!hasTable('tenants')) return { kind: 'empty' }
  if (!hasTable(tableSinceRelease)) return { kind: 'before-release' }
  const { user_version } = connection.get<{ user_version: number }>('pragma user_version')!
  return compare(user_version, 'sqlite', { hasTenants: has(anyTenant('')), hasPepper: has(anyPepper('')) })
}

/** The oldest catalogs call this table `moves`. Their version numbers have no meaning today. */
const tableSinceRelease = 'tenant_moves'

const anyTenant = (prefix: string) =>
  `select 1 from ${prefix}tenants union all select 1 from ${prefix}leftover_databases limit 1`

const anyPepper = (prefix: string) => `select 1 from ${prefix}peppers limit 1`

export async function readServerState(pool: Pool): Promise<CatalogState> {
  const has = async (sql: string) => (await pool.get(sql)) !== undefined
  const hasTable = (name: string) => has(`select 1 where to_regclass('${catalogSchema}.${name}') is not null`)
  try {
    if (!(await has(`select 1 from pg_namespace where nspname = '${catalogSchema}'`))) return { kind: 'missing' }
    if (!(await hasTable('tenants'))) return { kind: 'empty' }
    if (!(await hasTable(tableSinceRelease))) return { kind: 'before-release' }
    const row = await pool.get(`select schema_version from ${catalogSchema}.catalog_version`)
    const prefix = `${catalogSchema}.`
    const content = { hasTenants: await has(anyTenant(prefix)), hasPepper: await has(anyPepper(prefix)) }
    return compare(Number(row!.schema_version), 'postgres', content)
  } catch (error) {
    return unreadable(error)
  }
}

function compare(version: number, engine: 'sqlite' | 'postgres', content: CatalogContent): CatalogState {
  const latest = latestVersion(catalogMigrations(engine))
  if (version > latest) return { kind: 'newer' }
  return { kind: version === latest ? 'current' : 'older', version, ...content }
}

function unreadable(error: unknown): CatalogState {
  if (!(error instanceof Unavailable)) throw error
  return { kind: 'unreadable', cause: error }
}
