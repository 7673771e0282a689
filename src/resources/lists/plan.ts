// How to read a page of a list.

import type { Clause } from '../search/index.ts'

/** `strategy`: its name. `clauses`: the conditions of the `where`. `order`: the sort keys, the id last. `countClauses`: the
 *  conditions for counting all matches. `fallback`: the plan to use if this one has examined `afterRows` rows without filling
 *  the page. */
export type Plan = {
  strategy: string
  clauses: Clause[]
  order: string[]
  countClauses: Clause[]
  fallback?: { afterRows: number; plan: Plan }
}
