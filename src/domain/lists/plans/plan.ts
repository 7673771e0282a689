// How to read a page of a list.

import type { CandidatesInIdOrder, Clause } from '../../search/index.ts'

/** `strategy`: the strategy's name. `clauses`: the conditions in the `where` clause. `order`: the sort keys, the id
 *  last. `countClauses`: the conditions for counting all matches. `candidates`: the records to test, one by one in id
 *  order. `fallback`: the plan to use if this one has examined `afterRows` rows without filling the page. */
export type Plan = {
  strategy: string
  clauses: Clause[]
  order: string[]
  countClauses: Clause[]
  candidates?: CandidatesInIdOrder
  fallback?: { afterRows: number; plan: Plan }
}
