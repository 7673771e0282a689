// Builds a list's conditions as SQL, in each of the forms that the query plans use.

import type { Clause } from '../../search/index.ts'
import type { List } from '../list.ts'
import type { Condition, ListQuery } from '../query.ts'
import { type Filter, filtersOf, type ListField } from '../request/options.ts'
import { isLong } from '../sort-keys.ts'
import { clauseOf, columnOf, containsWord, fieldContains } from './clauses.ts'

/** A condition on columns, in the forms that the strategies use. SQLite does not use an index for `+column`. For
 *  `status=lost`:
 *
 *  - `byIndex`: `status = ?`. The engine may find the matches by an index.
 *  - `byRow`: `+status = ?`. Each row is tested.
 *  - `byIds`: `+id in (select id from hardware where status = ?)`. The ids of all matches are collected first, so that
 *    other rows are skipped without being read.
 *  - `countable`: `select id from hardware where status = ?`, or null if no index finds the matches. */
export type ColumnCondition = {
  column: string
  byIndex: Clause
  byRow: Clause
  byIds: Clause
  countable: Clause | null
  isEquality: boolean
}

/** The conditions on columns: all filters except `[contains]`. */
export function columnConditions({ resource, resources, query }: List): ColumnCondition[] {
  const { filters } = filtersOf(resource, resources)
  return query.conditions.flatMap((condition): ColumnCondition[] => {
    if (condition.operator === 'contains') return []
    const filter = filters.find(({ name }) => name === condition.filter)!
    const column = columnOf(filter)
    const byIndex = clauseOf(filter, condition, column, resource.name)
    const ids = { sql: `select id from ${resource.name} where ${byIndex.sql}`, values: byIndex.values }
    return [
      {
        column,
        byIndex,
        byRow: clauseOf(filter, condition, `+${column}`, resource.name),
        byIds: { sql: `+id in (${ids.sql})`, values: ids.values },
        countable: hasIndex(filter, condition) ? ids : null,
        isEquality: condition.operator === 'eq' && !filter.via && isOneValue(filter.field),
      },
    ]
  })
}

/** Whether an index can find the matches, so that a large table need not be scanned. */
function hasIndex(filter: Filter, { operator, values }: Condition): boolean {
  if (operator === 'ne' || (operator === 'null' && !values[0])) return false
  return filter.via !== undefined || (filter.field.kind !== 'since' && !isLong(filter.field))
}

/** Whether the filter finds one value of one column. An email address may be stored in several forms. */
function isOneValue({ kind }: ListField): boolean {
  return kind !== 'words' && kind !== 'missing' && kind !== 'since' && kind !== 'email'
}

/** The folded texts that a record must contain. */
export function textsOf({ words, conditions }: ListQuery): string[] {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  return [...words, ...contained.flatMap(({ values }) => values as string[])]
}

/** Returns the exact conditions on text. They are necessary because the search index only finds candidates. */
export function textConditions({ database: { engine }, resource, query: { words, conditions } }: List): Clause[] {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  return [
    ...words.map((word) => containsWord(engine, word)),
    ...contained.map(({ filter, values }) => fieldContains(engine, resource, filter, values[0] as string)),
  ]
}
