// The service of a measurement: its settings, and its tenants, made as the command line makes them.

import { resolve } from 'node:path'
import { createApiKey } from '../../src/access/api-keys.ts'
import { openPepper } from '../../src/catalog/pepper.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { openDatabases } from '../../src/tenants/open-databases.ts'
import { createTenant } from '../../src/tenants/tenants.ts'

/** A log that is written, and a rate limit that counts but is never reached; memory as `npm start` and the image have it. */
export const serviceSettings = {
  PORT: '0',
  RATE_LIMIT_PER_MINUTE: '1000000000',
  LOG_LEVEL: 'info',
  MALLOC_ARENA_MAX: '2',
}

const scopes = ['*:read', '*:write']

/** Makes so many tenants, and a key of each that may do everything: their tokens. */
export async function makeTenants(environment: Record<string, string>, count: number): Promise<string[]> {
  const config = readConfig(environment)
  const engine = await openDatabases(config, resources)
  try {
    const pepper = await openPepper(engine.catalog, resolve(config.DATA_DIR), config.API_KEY_PEPPER)
    const tokens: string[] = []
    for (let number = 1; number <= count; number++) {
      const actor = { now: new Date(), by: null, address: null, agent: null }
      const tenant = await createTenant(engine.catalog, engine.databases, { slug: tenantSlug(number) }, actor)
      const key = { scopes, allScopes: scopes, keysPerTenant: 1 }
      tokens.push((await createApiKey(engine.catalog, pepper, tenant, key, actor)).token)
    }
    return tokens
  } finally {
    await engine.close()
  }
}

/** What a tenant is called; the first has number 1. */
export function tenantSlug(number: number): string {
  return `bench-${number}`
}
