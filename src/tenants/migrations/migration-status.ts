// Records each tenant's schema version and last migration error in the catalog, so that listing tenants does not open
// any databases.

import { type Catalog, keepsCachedKeys } from '../../catalog/catalog.ts'

/** The state of a tenant's database relative to this program's schema, as shown to operators. */
export type SchemaState = 'ready' | 'behind' | `failed: ${string}`

/** Collects the results of migrations and writes many of them in one transaction. */
export type MigrationStatus = {
  /** This program's schema version. */
  version: number
  record(tenant: string, failure: string | null): void
  /** Writes the collected results. If it throws Unavailable, the results stay pending. */
  flush(catalog: Catalog): Promise<void>
}

export function createMigrationStatus(version: number): MigrationStatus {
  let pending = new Map<string, string | null>()

  async function flush(catalog: Catalog): Promise<void> {
    if (pending.size === 0) return
    const batch = pending
    pending = new Map()
    try {
      await catalog.transaction(async (database) => {
        for (const [id, failure] of batch) {
          const migratedTo = failure === null ? version : null
          const sql = `update tenants set schema_version = coalesce(?, schema_version), migration_error = ? where id = ?`
          await database.run(sql, [migratedTo, failure, id])
        }
      }, keepsCachedKeys)
    } catch (error) {
      pending = new Map([...batch, ...pending])
      throw error
    }
  }

  return { version, record: (tenant, failure) => void pending.set(tenant, failure), flush }
}

/** Returns the last migration error of each outdated tenant, by tenant id. */
export async function listMigrationErrors(catalog: Catalog, version: number): Promise<Map<string, string>> {
  const sql = `select id, migration_error from tenants
    where migration_error is not null and coalesce(schema_version, 0) < ?`
  const rows = await catalog.database.all<{ id: string; migration_error: string }>(sql, [version])
  return new Map(rows.map(({ id, migration_error }) => [id, migration_error]))
}

type SchemaRow = { id: string; schema_version: number | null; migration_error: string | null }

/** Returns the schema state of every tenant, by tenant id. A tenant that is up to date is ready, even if an earlier
 *  migration failed. */
export async function listSchemaStates(catalog: Catalog, version: number): Promise<Map<string, SchemaState>> {
  const rows = await catalog.database.all<SchemaRow>('select id, schema_version, migration_error from tenants')
  return new Map(
    rows.map(({ id, schema_version, migration_error }): [string, SchemaState] => {
      if ((schema_version ?? 0) >= version) return [id, 'ready']
      return [id, migration_error === null ? 'behind' : `failed: ${migration_error}`]
    }),
  )
}
