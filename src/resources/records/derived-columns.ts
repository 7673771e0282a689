// What is kept beside a record's own columns and worked out of them: its JSON, and what it is searched in. Whoever writes a
// record writes these with it.

import type { Database, Row, Value } from '../../database/database.ts'
import { searchedFields } from '../lists/options.ts'
import { booleansOf, columns, type Resource } from '../resource.ts'
import { searchColumns, searchValues } from '../search/index.ts'
import type { Values } from '../validate.ts'
import { cacheableJson, jsonColumn } from './json.ts'

type Engine = Database['engine']

/** Records that are filled before the next are read. */
const fillAtOnce = 500

/** The columns, with their types. */
export function derivedColumns(engine: Engine, resource: Resource): Record<string, string> {
  return { ...searchColumns(engine, resource), [jsonColumn]: 'text' }
}

/** What is written into them for a record; `members` are all but the id, in the order of the answer. */
export function derivedValues(engine: Engine, resource: Resource, members: Values): Record<string, Value> {
  return { ...searchValues(engine, resource, members), [jsonColumn]: cacheableJson(members) }
}

/** What is written into them when some of the members have changed. */
export function recomputedColumns(
  engine: Engine,
  resource: Resource,
  members: Values,
  changed: readonly string[],
): Record<string, Value> {
  const isOtherText = searchedFields(resource).some((name) => changed.includes(name))
  return { ...(isOtherText && searchValues(engine, resource, members)), [jsonColumn]: cacheableJson(members) }
}

/** Fills them for these records, of which each row has every column. */
export function backfillDerivedColumns(database: Database, resource: Resource, rows: readonly Row[]): void {
  const sets = Object.keys(derivedColumns(database.engine, resource)).map((column) => `${column} = ?`)
  const update = `update ${resource.name} set ${sets.join(', ')} where id = ?`
  for (const row of rows) {
    const { id, ...members } = row
    for (const name of booleansOf(resource)) if (members[name] !== null) members[name] = Boolean(members[name])
    database.runDeferred(update, [...Object.values(derivedValues(database.engine, resource, members)), id!])
  }
}

/** Fills them for every record. */
export async function fillAllDerived(database: Database, resource: Resource): Promise<void> {
  const select = `select ${columns(resource).join(', ')} from ${resource.name}`
  for (let last = 0; ; ) {
    const rows = await database.all(`${select} where id > ? order by id limit ${fillAtOnce}`, [last])
    if (rows.length === 0) return
    backfillDerivedColumns(database, resource, rows)
    last = rows.at(-1)!.id as number
  }
}
