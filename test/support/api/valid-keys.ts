// Fills a tenant with valid API keys, much faster than the command creates them.

import { catalogDatabaseOf } from '../databases/tenant-database.ts'
import type { Environment } from '../service.ts'

/** The maximum number of valid keys of a tenant. */
export const maxValidKeys = 100

/** Adds keys that nobody can use, because they have no secret. */
export async function addValidKeys(environment: Environment, slug: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => `select 'k${index}' as id`).join(' union all ')
  const catalog = await catalogDatabaseOf(environment)
  await catalog.run(`insert into api_keys (id, tenant_id, name, display, hash, pepper, scopes, created_at)
    select made.id, tenants.id, 'made', 'tdk_made', '', 1, '*:read', '2026-01-01T00:00:00.000Z'
    from (${rows}) made, tenants where slug = '${slug}'`)
}
