// What a list is asked for, as plain data (contract §9).

import type { Value } from '../../database/database.ts'
import type { Includes } from '../records/json.ts'
import type { Operator } from './options.ts'

/** A filter with what it is compared to; `null` has one boolean. Text for `contains` is folded. */
export type Condition = { filter: string; operator: Operator; values: readonly Value[] }

/** The last record of a page: its value in the sort's field, and its id. `seq`: in a list of what was, the last change that
 *  it knows. */
export type Position = { value: Value; id: number; seq?: number }

/** `words` are folded. `within`: milliseconds for each statement that it takes. */
export type ListQuery = {
  limit: number
  sort: { field: string; isDescending: boolean }
  conditions: readonly Condition[]
  words: readonly string[]
  includes: Includes
  after: Position | null
  withTotal: boolean
  timeoutMs: number
  /** The moment that the records are wanted of; as they are, where there is none. */
  asOf?: string | null
}

/** `records`: JSON text of each. `next`: where the following page begins, null on the last one. */
export type Page = { records: string[]; next: Position | null; total: number | null }
