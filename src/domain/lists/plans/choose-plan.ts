// Chooses how the database finds a page's records. Each engine has a table of strategies in order of preference; the
// first one that applies is used. All strategies find the same records.

import type { List } from '../list.ts'
import type { Plan } from './plan.ts'
import { choosePostgresPlan } from './postgres-strategies.ts'
import { chooseSqlitePlan } from './sqlite-strategies.ts'

export async function choosePlan(list: List): Promise<Plan> {
  const choose = { sqlite: chooseSqlitePlan, postgres: choosePostgresPlan }[list.database.engine]
  return choose(list)
}
