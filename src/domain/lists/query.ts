// A list query as plain data (contract §9), the list that it is about, and how a page of its matches is found.

import type { Clause, Database, Value } from '../../engine/database/database.ts'
import type { Resource, Resources } from '../declarations/resource.ts'
import type { Includes } from '../records/json.ts'
import type { Operator } from './request/options.ts'

/** A list to read: the records of one resource in a tenant's database that match a query. */
export type List = { database: Database; resource: Resource; resources: Resources; query: ListQuery }

/** The input of an operation that reads a list. `resource`: the resource's name. */
export type ListInput = { resource: string; query: ListQuery }

/** A filter with its operands. The operator `null` has one boolean operand. Text for `contains` is folded. */
export type Condition = { filter: string; operator: Operator; values: readonly Value[] }

/** A record's position in a list: its sort field's value, and its id. `seq`: the last change that an `as_of` list or an
 *  export considers. `of`: if the list is sorted by the title of a related record, the id of that related record. */
export type Position = { value: Value; id: number; seq?: number; of?: number }

/** `words` are folded. On PostgreSQL, `timeoutMs` limits each statement's time. On SQLite, it limits the total time of
 *  all statements after a call to `setBudget`. */
export type ListQuery = {
  limit: number
  sort: { field: string; isDescending: boolean }
  conditions: readonly Condition[]
  words: readonly string[]
  includes: Includes
  after: Position | null
  withTotal: boolean
  timeoutMs: number
  /** The list shows the state at this time; the current state if absent. */
  asOf?: string | null
}

/** `records`: each record's JSON text. `next`: the position after which the next page starts, null on the last page.
 *  `ends`: the positions of the page's first and last records. Set only if the list is sorted in one of the panel's own
 *  orders (own-orders.ts). */
export type JsonPage = {
  records: string[]
  next: Position | null
  total: number | null
  ends?: { first: Position; last: Position }
}

/** How to find a page. `strategy`: the strategy's name. `clauses`: the conditions in the `where` clause. `order`: the
 *  sort keys, the id last. `countClauses`: the conditions for counting all matches. `fallback`: the plan to use if this
 *  one has examined `afterRows` rows without filling the page. */
export type ListPlan = {
  strategy: string
  clauses: Clause[]
  order: string[]
  countClauses: Clause[]
  fallback?: { afterRows: number; plan: ListPlan }
}
