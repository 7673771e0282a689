// A tenant's database as the first version of the schema created it, with a few records. Every later version must be
// able to migrate this database. The SQL is a recording; do not edit it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TenantDatabase, tenantDatabaseOf } from '../databases/tenant-database.ts'
import { type Environment, engine, makeTenant } from '../service.ts'

/** The recorded requests, all sent at `recordedAt`. */
export const recordedRequests = [
  ['/customers.php', { name: 'Ünal İnşaat', city: 'Çorlu', notes: 'straße' }],
  ['/customers.php', { name: 'aa' }],
  ['/employees.php', { customer_id: 1, email: 'Ada@example.com' }],
  ['/hardware.php', { employee_id: 1, asset_tag: 'TD-0', name: 'z' }],
  ['/hardware.php', { employee_id: 1, asset_tag: 'TD-1', name: 'Ä' }],
] as const

export const recordedAt = '2030-01-01T00:00:00.000Z'

/** The Idempotency-Key of the first request. */
export const recordedKey = '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b'

/** Creates a tenant with a database of the first version. Returns an API key for the tenant, and the database. */
export function makeFirstVersionTenant(environment: Environment, slug: string): Promise<RecordedTenant> {
  return makeRecordedTenant(environment, slug, 1, 'first-version')
}

export type RecordedTenant = { token: string; tenantDatabase: TenantDatabase }

/** Creates a tenant whose database is a recording of this schema version. */
export async function makeRecordedTenant(
  environment: Environment,
  slug: string,
  version: number,
  directory: string,
): Promise<RecordedTenant> {
  const token = await makeTenant(environment, slug)
  const tenantDatabase = await tenantDatabaseOf(environment, slug)
  const recording = recordingOf(engine, tenantDatabase.id, version, directory)
  await tenantDatabase.run(`${await dropEverything(tenantDatabase)} ${recording}`)
  return { token, tenantDatabase }
}

/** Returns the statements that create a recorded database, as the database of tenant `id`. */
export function recordingOf(recorded: typeof engine, id: string, version: number, directory: string): string {
  const recording = readFileSync(join(import.meta.dirname, directory, `${recorded}.sql`), 'utf8')
  const owner = {
    sqlite: `insert into tenant (id, state) values ('${id}', 'open'); pragma user_version = ${version}`,
    postgres: `insert into tenant (id, state, schema_version) values ('${id}', 'open', ${version})`,
  }[recorded]
  return `${recording} ${owner}`
}

async function dropEverything(tenantDatabase: TenantDatabase): Promise<string> {
  const [tableNames, prefix, suffix] = {
    sqlite: [
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`,
      'pragma foreign_keys = off;',
      '',
    ],
    postgres: ['select tablename as name from pg_tables where schemaname = current_schema()', '', 'cascade'],
  }[engine] as [string, string, string]
  const tables = await tenantDatabase.all(tableNames)
  return prefix + tables.map(({ name }) => `drop table ${name} ${suffix};`).join(' ')
}
