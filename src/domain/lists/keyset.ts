// Keyset pagination: which rows follow a position, and in which order. A page is read segment by segment, because no
// comparison in SQL is true for both nulls and values.

import type { Value } from '../../engine/database/database.ts'
import type { Resource } from '../declarations/resource.ts'
import type { Clause } from '../search/index.ts'
import type { List } from './list.ts'
import type { ListQuery, Position } from './query.ts'
import { isLong, sortValues } from './sort-keys.ts'

/** A part of a list: all rows, the rows without a value in the sort field, or the rows with a value. `after`: only rows
 *  after this position. */
export type Segment = { kind: 'all' | 'nulls' | 'values'; after?: Position }

/** The segments after the position, in list order: nulls come first in ascending order, last in descending order.
 *
 *  For example, a list by `-purchase_date` that continues after 2024-05-01 and id 7 has two segments: the values before
 *  that position, `{ kind: 'values', after: { value: '2024-05-01', id: 7 } }`, and then `{ kind: 'nulls' }`. */
export function keysetSegments({ resource, query }: List): Segment[] {
  const { after } = query
  const { field, isDescending } = query.sort
  if (field === 'id') return [after ? { kind: 'all', after } : { kind: 'all' }]
  const inOrder = (nulls: Segment, values: Segment) => (isDescending ? [values, nulls] : [nulls, values])
  if (!after) {
    // The index on a long text contains only its beginning, so its values must be sorted. Nulls do not need to be
    // sorted.
    return isLong(resource.fields[field]) ? inOrder({ kind: 'nulls' }, { kind: 'values' }) : [{ kind: 'all' }]
  }
  if (after.value === null)
    return isDescending ? [{ kind: 'nulls', after }] : [{ kind: 'nulls', after }, { kind: 'values' }]
  const values: Segment = { kind: 'values', after }
  return isDescending && isNullable(resource, field) ? [values, { kind: 'nulls' }] : [values]
}

/** Compares positions in the same order as both engines. */
export function compareIn(
  { resource, query }: { resource: Resource; query: Pick<ListQuery, 'sort'> },
  one: Position,
  other: Position,
): number {
  const { field, isDescending } = query.sort
  const [keys, otherKeys] = [one, other].map((position) => sortValues(resource, field, position)) as [Value[], Value[]]
  const differing = keys.findIndex((key, index) => key !== otherKeys[index])
  if (differing < 0) return 0
  return (isDescending ? -1 : 1) * compareValues(keys[differing]!, otherKeys[differing]!)
}

/** Nulls come first, and text is ordered by its UTF-8 bytes. */
function compareValues(one: Value, other: Value): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null)
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
  return Number(one) - Number(other)
}

function isNullable(resource: Resource, name: string): boolean {
  const field = resource.fields[name]
  return field !== undefined && !field.required && !('default' in field)
}

/** Returns the SQL for a segment: the conditions for its rows, and its `order by`. `keys`: the sort keys, the id
 *  last. */
export function segmentSql(
  { database: { engine }, resource, query }: List,
  keys: string[],
  { kind, after }: Segment,
): { clauses: Clause[]; order: string } {
  const { field, isDescending } = query.sort
  const [first, id] = [keys[0]!, keys.at(-1)!]
  const comparison = isDescending ? '<' : '>'
  const afterId = after ? [{ sql: `${id} ${comparison} ?`, values: [after.id] }] : []
  switch (kind) {
    case 'all':
      return { clauses: afterId, order: orderBy(keys, isDescending) }
    case 'nulls': {
      // Within an index, the rows with a null are ordered by id. Each engine recognizes this only in the form written
      // here.
      const keysOfNulls = engine === 'sqlite' ? [id] : [first, id]
      return {
        clauses: [{ sql: `${first} is null`, values: [] }, ...afterId],
        order: orderBy(keysOfNulls, isDescending),
      }
    }
    case 'values': {
      const notNull = { sql: `${first} is not null`, values: [] }
      const placeholders = keys.map(() => '?').join(', ')
      if (!after) return { clauses: [notNull], order: orderBy(keys, isDescending) }
      const values = sortValues(resource, field, after)
      const afterKeys = { sql: `(${keys.join(', ')}) ${comparison} (${placeholders})`, values }
      // In an index on an expression, SQLite finds a position only by a comparison with the expression alone. Otherwise
      // it would read the index from its start.
      const isExpression = engine === 'sqlite' && keys.length > 2
      const fromFirst = isExpression ? [{ sql: `${first} ${comparison}= ?`, values: values.slice(0, 1) }] : []
      return { clauses: [...fromFirst, afterKeys], order: orderBy(keys, isDescending) }
    }
  }
}

/** Returns an `order by` in the form in which the indexes are declared, because PostgreSQL uses an index only if the
 *  position of nulls also matches. The id has no nulls clause in the indexes, so it must not have one here either:
 *  PostgreSQL does not infer that an id is never null. */
function orderBy(keys: string[], isDescending: boolean): string {
  const [direction, nulls] = isDescending ? ['desc', 'nulls last'] : ['asc', 'nulls first']
  return [...keys.slice(0, -1).map((key) => `${key} ${direction} ${nulls}`), `${keys.at(-1)} ${direction}`].join(', ')
}
