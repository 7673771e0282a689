// Tests whether a record that is not in the table contains the texts that a list searches for.

import type { Value } from '../../engine/database/database.ts'
import type { Resource } from '../declarations/resource.ts'
import type { ListQuery } from '../lists/query.ts'
import { fold, searchText } from './fold.ts'

/** Applies the same test as the conditions on search text in lists/plans/clauses.ts. `words` and operands are folded. */
export function hasTexts(
  resource: Resource,
  record: Record<string, Value>,
  { words, conditions }: Pick<ListQuery, 'words' | 'conditions'>,
): boolean {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  const folded = searchText(resource, record)
  return (
    words.every((word) => folded.includes(word)) &&
    contained.every(({ filter, values }) => fold(String(record[filter] ?? '')).includes(values[0] as string))
  )
}
