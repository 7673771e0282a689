// A record's derived columns: its cached JSON and its search text. Every write to a record updates them.

import type { Database, Row, Value } from '../../engine/database/database.ts'
import { booleansOf, type Resource } from '../declarations/resource.ts'
import type { Values } from '../fields/validate.ts'
import { searchedFields } from '../lists/request/options.ts'
import { searchColumns, searchValues } from '../search/index.ts'
import { cacheableJson, jsonColumn } from './json.ts'

type Engine = Database['engine']

/** The derived columns with their types. */
export function derivedColumns(engine: Engine, resource: Resource): Record<string, string> {
  return { ...searchColumns(engine, resource), [jsonColumn]: 'text' }
}

/** The values of the derived columns. `members`: all columns except the id, in response order. */
export function derivedValues(engine: Engine, resource: Resource, members: Values): Record<string, Value> {
  return { ...searchValues(engine, resource, members), [jsonColumn]: cacheableJson(members) }
}

/** The derived columns that have new values after a change. `changed`: the names of the changed members. */
export function recomputedColumns(
  engine: Engine,
  resource: Resource,
  members: Values,
  changed: readonly string[],
): Record<string, Value> {
  const isTextChanged = searchedFields(resource).some((name) => changed.includes(name))
  return { ...(isTextChanged && searchValues(engine, resource, members)), [jsonColumn]: cacheableJson(members) }
}

/** Updates the derived columns of these records. Each row must have every column of the resource. */
export function backfillDerivedColumns(database: Database, resource: Resource, rows: readonly Row[]): void {
  const sets = Object.keys(derivedColumns(database.engine, resource)).map((column) => `${column} = ?`)
  const update = `update ${resource.name} set ${sets.join(', ')} where id = ?`
  for (const row of rows) {
    const { id, ...members } = row
    for (const name of booleansOf(resource)) if (members[name] !== null) members[name] = Boolean(members[name])
    database.runDeferred(update, [...Object.values(derivedValues(database.engine, resource, members)), id!])
  }
}
