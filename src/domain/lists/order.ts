// The order of a list: its sort keys and their indexes, and the rows that follow a position (keyset pagination).

import type { Clause, Database, Value } from '../../engine/database/database.ts'
import { hasUpperCase } from '../../engine/database/statements.ts'
import { deriveOncePerEngine, type Field, isName, type Resource, timestampColumns } from '../declarations/resource.ts'
import { fold, foldedField } from '../search/fold.ts'
import type { List, ListQuery, Position } from './query.ts'
import { type ListField, searchedFields } from './request/options.ts'

type Engine = Database['engine']

/** Text fields with a higher maximum length are indexed by a prefix, because a PostgreSQL index entry holds at most
 *  2,704 bytes. Both lengths are in characters. */
const maxIndexedLength = 500
const prefixLength = 100

/** The sort keys as SQL expressions; the last one is the id. */
export function sortKeys(engine: Engine, resource: Resource, name: string): string[] {
  if (name === 'id') return ['id']
  if (isName(resource.fields[name])) return [nameKey(engine, resource, name), name, 'id']
  return isLong(resource.fields[name]) ? [indexedExpression(resource, name), name, 'id'] : [name, 'id']
}

/** The position of a record with this value: one value for each sort key. */
function sortValues(resource: Resource, name: string, { value, id }: { value: Value; id: number }): Value[] {
  if (name === 'id') return [id]
  if (isName(resource.fields[name])) return [value === null ? null : fold(String(value)), value, id]
  if (!isLong(resource.fields[name])) return [value, id]
  return [[...String(value)].slice(0, prefixLength).join(''), value, id]
}

function indexedExpression(resource: Resource, name: string): string {
  return isLong(resource.fields[name]) ? `substr(${name}, 1, ${prefixLength})` : name
}

/** Whether the index contains only a prefix of the text. */
export function isLong(field: ListField | undefined): boolean {
  return field?.kind === 'text' && field.max > maxIndexedLength
}

/** The first sort key of lists sorted by a name: the name without case and accents, taken from the search text. Folding
 *  shortens or keeps most characters and at most triples their bytes, so an index entry never becomes too long. */
function nameKey(engine: Engine, resource: Resource, name: string): string {
  const folded = foldedField(engine, resource, name)
  // In conditions on a column that is never null, SQLite replaces `is not null`, and then does not recognize the index.
  return resource.fields[name]?.required ? `(${folded})` : `(case when ${name} is not null then ${folded} end)`
}

/** Returns the index that begins with the folded name. The index on the name itself finds names by comparison. */
function nameIndexes(engine: Engine, resource: Resource): Index[] {
  const { name, fields } = resource
  return Object.keys(fields).flatMap((field) => {
    if (!isName(fields[field])) return []
    const keys = [nameKey(engine, resource, field), field]
    const columns = engine === 'sqlite' ? keys : [...keys.map((key) => `${key} nulls first`), 'id']
    const index = `${name}_${field}_folded`
    return [{ name: index, sql: `create index ${index} on ${name} (${columns.join(', ')})` }]
  })
}

/** Returns the indexes on the email addresses that contain upper-case letters. */
function emailIndexes({ name, fields }: Resource): Index[] {
  const emails = Object.keys(fields).filter((field) => fields[field]!.kind === 'email')
  return emails.map((field) => {
    const index = `${name}_${field}_lower`
    return { name: index, sql: `create index ${index} on ${name} (lower(${field})) where ${hasUpperCase(field)}` }
  })
}

/** The column that the sort index of lists by this field begins with; undefined if it begins with an expression. */
export function firstIndexedColumn(resource: Resource, name: string): string | undefined {
  return isName(resource.fields[name]) ? undefined : name
}

export type Index = { name: string; sql: string }

/** A field's sort index: nulls first, with the id as tie-breaker. Every SQLite index has this order already. */
export function orderIndex(engine: Engine, resource: Resource, name: string): Index {
  const isNameTaken = resource.fields[name]?.unique === true // by the field's unique index
  const index = `${resource.name}_${name}${isNameTaken ? '_order' : ''}`
  const key = indexedExpression(resource, name)
  const columns = engine === 'sqlite' ? key : `${key} nulls first, id`
  return { name: index, sql: `create index ${index} on ${resource.name} (${columns})` }
}

/** The SQL expression for the sort key of lists sorted by titles (own-orders.ts). The title is folded, so that
 *  case and accents do not matter. Storage locations come before all people, because lists show them as stock. */
export function titleKey(engine: Engine, resource: Resource): string {
  const fields = (resource.title ?? []).map((name) => `nullif(${foldedField(engine, resource, name)}, '')`)
  const title = `coalesce(${[...fields, `''`].join(', ')})`
  return 'kind' in resource.fields ? `(case kind when 'storage' then '' else ${title} end)` : title
}

/** Returns the index on a resource's titles. Returns no index if the resource has no title or a title field is not
 *  searched. */
function titleIndexes(engine: Engine, resource: Resource): Index[] {
  const { name, title = [] } = resource
  if (title.length === 0 || !title.every((field) => searchedFields(resource).includes(field))) return []
  const columns = [titleKey(engine, resource), ...(engine === 'sqlite' ? [] : ['id'])]
  return [{ name: `${name}_titles`, sql: `create index ${name}_titles on ${name} (${columns.join(', ')})` }]
}

/** The deferred indexes for lists: those for email addresses, and the sort indexes for titles, for names, and for all
 *  fields that have no other index to sort by. Each reference already has such an index, and so does each unique field
 *  on SQLite. */
export const orderIndexes = deriveOncePerEngine((engine, resource: Resource): readonly Index[] => {
  const hasIndexAlready = ({ kind, unique }: Field) => (unique ? engine === 'sqlite' : kind === 'reference')
  const fields = Object.keys(resource.fields).filter((name) => !hasIndexAlready(resource.fields[name]!))
  const indexes = [...fields, ...timestampColumns].map((name) => orderIndex(engine, resource, name))
  return [...titleIndexes(engine, resource), ...nameIndexes(engine, resource), ...emailIndexes(resource), ...indexes]
})

/** A part of a list: all rows, the rows without a value in the sort field, or the rows with a value. A page is read
 *  segment by segment, because no comparison in SQL is true for both nulls and values. `after`: only rows after this
 *  position. */
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
  const declared = resource.fields[field]
  const isNullable = declared !== undefined && !declared.required && !('default' in declared)
  return isDescending && isNullable ? [values, { kind: 'nulls' }] : [values]
}

/** Compares positions in the same order as both engines. */
export function compareIn(
  { resource, query }: { resource: Resource; query: Pick<ListQuery, 'sort'> },
  one: Position,
  other: Position,
): number {
  const { field, isDescending } = query.sort
  return (isDescending ? -1 : 1) * compareKeys(sortValues(resource, field, one), sortValues(resource, field, other))
}

/** Returns the positions of the page and of one more record, in list order. Takes a fraction of the time of sorting all
 *  positions, because it folds each name once. */
export function firstPositions(
  { resource, query }: { resource: Resource; query: Pick<ListQuery, 'sort' | 'after' | 'limit'> },
  positions: readonly Position[],
): Position[] {
  const { sort, after, limit } = query
  const keysOf = (position: Position) => sortValues(resource, sort.field, position)
  const direction = sort.isDescending ? -1 : 1
  const afterKeys = after && keysOf(after)
  const first: { position: Position; keys: Value[] }[] = []
  for (const position of positions) {
    const keys = keysOf(position)
    if (afterKeys && direction * compareKeys(keys, afterKeys) <= 0) continue
    const isBefore = (index: number) => direction * compareKeys(keys, first[index]!.keys) < 0
    if (first.length > limit && !isBefore(limit)) continue
    first.splice(firstIndex(first.length, isBefore), 0, { position, keys })
    if (first.length > limit + 1) first.pop()
  }
  return first.map(({ position }) => position)
}

/** Finds the first index for which the condition holds, by binary search. Returns `length` if there is none. */
function firstIndex(length: number, condition: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (condition(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function compareKeys(keys: readonly Value[], otherKeys: readonly Value[]): number {
  const differing = keys.findIndex((key, index) => key !== otherKeys[index])
  return differing < 0 ? 0 : compareValues(keys[differing]!, otherKeys[differing]!)
}

/** Nulls come first, and text is ordered by its UTF-8 bytes. */
function compareValues(one: Value, other: Value): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null)
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
  return Number(one) - Number(other)
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
