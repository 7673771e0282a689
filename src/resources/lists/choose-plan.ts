// Chooses how the database finds a page's records. Each engine has a table of strategies in order of preference; the
// first one that applies is used. All strategies find the same records.

import type { Database } from '../../database/database.ts'
import type { Resource, Resources } from '../resource.ts'
import type { Plan } from './plan.ts'
import { choosePostgresPlan } from './postgres-strategies.ts'
import type { ListQuery } from './query.ts'
import { chooseSqlitePlan } from './sqlite-strategies.ts'

export async function choosePlan(
  database: Database,
  resource: Resource,
  resources: Resources,
  query: ListQuery,
): Promise<Plan> {
  const choose = { sqlite: chooseSqlitePlan, postgres: choosePostgresPlan }[database.engine]
  return choose(database, resource, resources, query)
}
