// Provides the settings of the service under test, and creates its tenants.

import { resolve } from 'node:path'
import { createApiKey } from '../../../src/access/api-keys.ts'
import { openPepper } from '../../../src/catalog/pepper/pepper.ts'
import { readConfig } from '../../../src/config.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { openDatabases } from '../../../src/tenants/databases/open-databases.ts'
import { createTenant } from '../../../src/tenants/lifecycle.ts'

/** The service writes its log and counts requests, but no client reaches the rate limit. MALLOC_ARENA_MAX has the same
 *  value as under `npm start`. */
export const serviceSettings = {
  PORT: '0',
  RATE_LIMIT_PER_MINUTE: '1000000000',
  LOG_LEVEL: 'info',
  MALLOC_ARENA_MAX: '2',
}

const scopes = ['*:read', '*:write']

/** Creates `count` tenants, each with an API key that has all scopes, and returns the tokens. */
export async function seedTenants(environment: Record<string, string>, count: number): Promise<string[]> {
  const config = readConfig(environment)
  const engine = await openDatabases(config, resources)
  try {
    const pepper = await openPepper(engine.catalog, resolve(config.DATA_DIR), config.API_KEY_PEPPER)
    const tokens: string[] = []
    for (let number = 1; number <= count; number++) {
      const actor = { now: new Date(), by: null, address: null, agent: null }
      const tenant = await createTenant(engine.catalog, engine.databases, { slug: tenantSlug(number) }, actor)
      const key = { scopes, allScopes: scopes }
      tokens.push((await createApiKey({ catalog: engine.catalog, pepper }, tenant, key, actor)).token)
    }
    return tokens
  } finally {
    await engine.close()
  }
}

/** `number` starts at 1. */
export function tenantSlug(number: number): string {
  return `bench-${number}`
}
