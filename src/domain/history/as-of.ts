// Builds SQL for records as they were at a point in time. The SQL undoes later changes to the current rows: each field
// gets the value that it had before its first later change. The cost therefore grows with the number of later changes.

import { type Clause, type Database, rowsPerCheck } from '../../engine/database/database.ts'
import {
  columns,
  emptyValue,
  type Field,
  type RecordKey,
  type Resource,
  type Resources,
  resourceNamed,
} from '../declarations/resource.ts'
import { builtRecordJson, type Includes, isTitle } from '../records/json.ts'
import { findByKey } from '../records/stored-forms.ts'
import { positionAt } from './positions.ts'

type Engine = Database['engine']

/** Returns a condition that is true for records that have not changed since change `seq`. */
export function unchangedSince({ name }: Resource, seq: number): Clause {
  const sql = `not exists (select 1 from changes c where c.resource = '${name}' and c.record_id = ${name}.id and c.seq > ?)`
  return { sql, values: [seq] }
}

/** What differs between the engines in SQL that reconstructs a record. `typed` gives an expression the type or
 *  collation of a column of this kind: SQLite optimizes a union only if both sides have the same types. `table` selects
 *  the table even where `with` defines a view of the same name; on PostgreSQL, the view's own definition does not see
 *  the view. */
type PastSql = {
  table: (name: string) => string
  typed: (expression: string, kind: Field['kind']) => string
  /** A member of `before` as JSON, and a column or text as JSON: JSON distinguishes null from an absent value. */
  before: (field: string) => string
  json: (column: string) => string
  jsonText: (text: string) => string
  /** The value in a JSON expression. */
  value: (json: string) => string
}

const numberKinds: readonly Field['kind'][] = ['integer', 'reference', 'boolean']

const pastSql = {
  sqlite: {
    table: (name) => `main.${name}`,
    typed: (expression, kind) => `cast(${expression} as ${numberKinds.includes(kind) ? 'integer' : 'text'})`,
    before: (field) => `c.before -> '$.${field}'`,
    json: (column) => `case when ${column} is not null then json_quote(${column}) end`,
    jsonText: (text) => text,
    value: (json) => `${json} ->> '$'`,
  },
  postgres: {
    table: (name) => name,
    typed: (expression, kind) => {
      if (!numberKinds.includes(kind)) return `(${expression}) collate "C"`
      return `(${expression})::${kind === 'boolean' ? 'boolean' : 'bigint'}`
    },
    before: (field) => `c.before::json -> '${field}'`,
    json: (column) => `to_json(${column})`,
    jsonText: (text) => `${text}::json`,
    value: (json) => `${json} #>> '{}'`,
  },
} as const satisfies Record<Engine, PastSql>

/** Returns a query for the records that existed at change `seq` and have changed since. In the query, `f` is the
 *  record's first change after `seq`, and `t` its current row. If `f` is a creation, the record did not exist at `seq`.
 *  It may still have earlier changes, because an undo can recreate a deleted record. If a record has been deleted, `t`
 *  has no row for it. `by`: whether SQLite searches by change, which is faster if there are few changes, or by record:
 *  it does not use an index for `+column`. */
export function recordsChangedSince(engine: Engine, resource: Resource, seq: number, by: 'change' | 'record'): Clause {
  const { name, fields } = resource
  const { table, typed } = pastSql[engine]
  const pastFields = Object.keys(fields).map((field) => pastField(engine, resource, field))
  const ofRecord = `c.resource = '${name}' and c.record_id = f.record_id`
  const createdAt = `coalesce(t.created_at, (select c.at from changes c where ${ofRecord} order by c.seq limit 1))`
  const updatedAt = `(select c.at from changes c where ${ofRecord} and c.seq <= ? order by c.seq desc limit 1)`
  const isLater = {
    sqlite: `${by === 'change' ? '+' : ''}f.resource = '${name}' and ${by === 'record' ? '+' : ''}f.seq > ?
      and case when f.seq & ${rowsPerCheck - 1} then 1 else within_budget() end`,
    postgres: `f.resource = '${name}' and f.seq > ?`,
  }[engine]
  const sql = `
    select
      f.record_id as id,
      ${pastFields.join(',\n      ')},
      ${typed(createdAt, 'timestamp')} as created_at,
      ${typed(updatedAt, 'timestamp')} as updated_at
    from changes f left join ${table(name)} t on t.id = f.record_id
    where ${isLater}
      and not exists (select 1 from changes c where ${ofRecord} and c.seq > ? and c.seq < f.seq)
      and f.action <> 'create'
      and exists (select 1 from changes c where ${ofRecord} and c.seq <= ?)`
  return { sql, values: Array<number>(pastFields.length + 4).fill(seq) }
}

/** SQL for the field's value at change `seq`: the value before the field's first later change, or the current value if
 *  there is no later change. If the record was deleted before the field was added, the result is the field's default. */
function pastField(engine: Engine, { name, fields }: Resource, field: string): string {
  const { typed, before, json, jsonText, value } = pastSql[engine]
  const declared = fields[field]!
  const fallback = JSON.stringify(emptyValue(declared)).replaceAll("'", "''")
  const earliest = `select ${before(field)} from changes c
          where c.resource = '${name}' and c.record_id = f.record_id and c.seq > ? and ${before(field)} is not null
          order by c.seq limit 1`
  const pastValue = `coalesce((${earliest}), ${json(`t.${field}`)}, ${jsonText(`'${fallback}'`)})`
  return `${typed(value(pastValue), declared.kind)} as ${field}`
}

export function recordsAsOf(engine: Engine, resource: Resource, seq: number): Clause {
  const changed = recordsChangedSince(engine, resource, seq, 'record')
  const unchanged = unchangedSince(resource, seq)
  const table = `${pastSql[engine].table(resource.name)} as ${resource.name}`
  return {
    sql: `select ${columns(resource).join(', ')} from ${table} where ${unchanged.sql} union all ${changed.sql}`,
    values: [...unchanged.values, ...changed.values],
  }
}

/** A `with` clause that replaces tables with these queries in the statement that follows. A query can read the table
 *  that it replaces: by its name on PostgreSQL, and with the prefix `main.` on SQLite. */
export function withViews(views: readonly [name: string, query: Clause][]): Clause {
  if (views.length === 0) return { sql: '', values: [] }
  const list = views.map(([name, { sql }]) => `${name} as (${sql})`)
  return { sql: `with ${list.join(', ')}`, values: views.flatMap(([, { values }]) => values) }
}

/** Returns the resources whose records are embedded by these includes. */
export function includedIn(resource: Resource, resources: Resources, includes: Includes): Resource[] {
  const reached = Object.entries(includes).flatMap(([reference, inner]) => {
    const field = resource.fields[reference]
    if (field?.kind !== 'reference') return []
    const target = resourceNamed(resources, field.to)
    return [target, ...(isTitle(inner) ? [] : includedIn(target, resources, inner))]
  })
  return [...new Set(reached)]
}

/** Returns the JSON text of a record as it was at `moment`, or undefined if the record did not exist at that time. */
export async function findAsOf(
  database: Database,
  resource: Resource,
  resources: Resources,
  { key, moment, includes }: { key: RecordKey; moment: string; includes: Includes },
): Promise<string | undefined> {
  const { seq } = await positionAt(database, moment)
  const reached = [...new Set([resource, ...includedIn(resource, resources, includes)])]
  const views = withViews(reached.map((table) => [table.name, recordsAsOf(database.engine, table, seq)]))
  const json = builtRecordJson(database.engine, resource, resources, includes)
  const sql = `${views.sql} select ${json} as json from ${resource.name} where ${key.column} = ?`
  return findByKey(key, async (value) => (await database.texts(sql, [...views.values, value]))[0])
}
