// A tenant's database schema: created from the declarations, and checked for contradictions at startup.

import type { Database, Dialect } from '../../engine/database/database.ts'
import { withConfiguration } from '../declarations/configuration.ts'
import type { Resources } from '../declarations/resource.ts'
import { searchedFields } from '../lists/request/options.ts'
import { maxSearchedFields } from '../search/fold.ts'
import { migrationsOf, requireConsecutive, sinceOf } from './migrations.ts'
import { createTable, tenantTables } from './tables.ts'

export async function createSchema(database: Database, resources: Resources, dialect: Dialect): Promise<void> {
  for (const table of tenantTables(resources, dialect)) await createTable(database, table, dialect)
}

/** Throws if the declarations contradict each other. It is better to fail at startup than to have tenants that cannot
 *  be opened. */
export function requireSound(resources: Resources): void {
  requireConsecutive(migrationsOf(resources))
  withConfiguration(resources).forEach((resource, index, declared) => {
    if (searchedFields(resource).length > maxSearchedFields)
      throw new Error(`${resource.name} has too many text fields`)
    for (const [name, field] of Object.entries(resource.fields)) {
      const path = `${resource.name}.${name}`
      if (field.required && sinceOf(field) > sinceOf(resource))
        throw new Error(`${path} is new, so it cannot be required`)
      if (field.kind !== 'reference') continue
      const earlier = declared.slice(0, index + 1).map(({ name }) => name)
      if (!earlier.includes(field.to)) throw new Error(`${path} refers to ${field.to}, which is not declared before it`)
    }
  })
}
