// What the catalog knows of the schema of each tenant's database, so that whoever asks need not open them all.

import { type Catalog, keepsKeys } from '../catalog/catalog.ts'

/** How a tenant's database stands to the schema that this program knows, in words for people. */
export type SchemaState = 'ready' | 'behind' | `failed: ${string}`

/** Notes what became of migrations, and writes it down now and then: many in one transaction. */
export type MigrationStatus = {
  record(tenant: string, failure: string | null): void
  /** Writes down what was noted. Throws Unavailable: then it is still noted. */
  flush(): Promise<void>
}

/** `version`: the schema that this program knows. */
export function openMigrationStatus(catalog: Catalog, version: number): MigrationStatus {
  let noted = new Map<string, string | null>()

  async function write(): Promise<void> {
    if (noted.size === 0) return
    const taken = noted
    noted = new Map()
    try {
      await catalog.transaction(async (database) => {
        for (const [id, failure] of taken) {
          const done = failure === null ? version : null
          const sql = `update tenants set schema_version = coalesce(?, schema_version), migration_error = ? where id = ?`
          await database.run(sql, [done, failure, id])
        }
      }, keepsKeys)
    } catch (error) {
      noted = new Map([...taken, ...noted])
      throw error
    }
  }

  return { record: (tenant, failure) => void noted.set(tenant, failure), flush: write }
}

/** Why the last migration failed, by the ids of the tenants that are behind for it. */
export async function listMigrationErrors(catalog: Catalog, version: number): Promise<Map<string, string>> {
  const sql = `select id, migration_error from tenants
    where migration_error is not null and coalesce(schema_version, 0) < ?`
  const rows = await catalog.database.all(sql, [version])
  return new Map(rows.map(({ id, migration_error }) => [id as string, migration_error as string]))
}

/** By the ids of tenants. A failure of long ago is none any more once the tenant is ready. */
export async function listSchemaStates(catalog: Catalog, version: number): Promise<Map<string, SchemaState>> {
  const rows = await catalog.database.all('select id, schema_version, migration_error from tenants')
  return new Map(
    rows.map(({ id, schema_version, migration_error }): [string, SchemaState] => {
      if (((schema_version as number | null) ?? 0) >= version) return [id as string, 'ready']
      return [id as string, migration_error === null ? 'behind' : `failed: ${migration_error}`]
    }),
  )
}
