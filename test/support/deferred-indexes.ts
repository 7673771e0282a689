// Creates deferred indexes, which the service creates for large tables only, without inserting as many records.

import { withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { createDeferredIndexes } from '../../src/resources/schema/deferred-indexes.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { type Environment, withEngineUrl } from './service.ts'

/** Creates all deferred indexes of a tenant with a connection of its own, as a command does. */
export async function createAllDeferredIndexes(environment: Environment, slug: string): Promise<void> {
  await withCatalog(readConfig(await withEngineUrl(environment)), async (catalog, databases) => {
    await databases.write(await requireTenant(catalog, slug), async ({ database }) => {
      for (const resource of resources) await createDeferredIndexes(database, resource)
    })
  })
}
