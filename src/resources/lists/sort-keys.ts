// The orders that lists are sorted in, and the indexes that keep them.

import type { Database, Value } from '../../database/database.ts'
import { type Field, type Resource, timestampColumns } from '../resource.ts'
import type { ListField } from './options.ts'

type Engine = Database['engine']

/** A text that may be longer is kept in the order of its beginning: an index of PostgreSQL holds 2,704 bytes. Characters. */
const longest = 500
const beginning = 100

/** What records are sorted by, as SQL; the last is the id. */
export function sortKeys(resource: Resource, name: string): string[] {
  if (name === 'id') return ['id']
  return isLong(resource.fields[name]) ? [indexedExpression(resource, name), name, 'id'] : [name, 'id']
}

/** Where a record with this value stands: one value for each of the keys. */
export function sortValues(resource: Resource, name: string, { value, id }: { value: Value; id: number }): Value[] {
  if (name === 'id') return [id]
  if (!isLong(resource.fields[name])) return [value, id]
  return [[...String(value)].slice(0, beginning).join(''), value, id]
}

function indexedExpression(resource: Resource, name: string): string {
  return isLong(resource.fields[name]) ? `substr(${name}, 1, ${beginning})` : name
}

/** Whether an index holds but the beginning of the text. */
export function isLong(field: ListField | undefined): boolean {
  return field?.kind === 'text' && field.max > longest
}

/** An index by its name, with the statement that makes it. */
export type Index = { name: string; sql: string }

/** The index in the order of a field. Nulls first, and the id as tie-break: in SQLite every index is so. */
export function orderIndex(engine: Engine, resource: Resource, name: string): Index {
  const isTaken = resource.fields[name]?.unique === true // by the index that decides
  const index = `${resource.name}_${name}${isTaken ? '_order' : ''}`
  const key = indexedExpression(resource, name)
  const columns = engine === 'sqlite' ? key : `${key} nulls first, id`
  return { name: index, sql: `create index ${index} on ${resource.name} (${columns})` }
}

/** The indexes of all orders but those that a table has anyway: each reference has its own, and what decides of unique values
 *  is in order in SQLite. */
export function orderIndexes(engine: Engine, resource: Resource): Index[] {
  const isThere = ({ kind, unique }: Field) => (unique ? engine === 'sqlite' : kind === 'reference')
  const fields = Object.keys(resource.fields).filter((name) => !isThere(resource.fields[name]!))
  return [...fields, ...timestampColumns].map((name) => orderIndex(engine, resource, name))
}
