// Creates deferred indexes without inserting many records. The service creates them only for large tables.

import { withCatalog } from '../../../src/cli/context.ts'
import { readConfig } from '../../../src/config.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { createDeferredIndexes } from '../../../src/domain/schema/derived.ts'
import { requireTenant } from '../../../src/tenants/tenants.ts'
import { type Environment, withEngineUrl } from '../service.ts'

/** Creates all deferred indexes of a tenant over a separate connection, as a command would. */
export async function createAllDeferredIndexes(environment: Environment, slug: string): Promise<void> {
  await withCatalog(readConfig(await withEngineUrl(environment)), async (catalog, databases) => {
    await databases.write(await requireTenant(catalog, slug), async ({ database }) => {
      for (const resource of resources) await createDeferredIndexes(database, resource)
    })
  })
}
