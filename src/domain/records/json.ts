// A record as JSON text. The text is cached in a column of the record, because reading it is several times faster than
// building it (docs/decisions/0019). For records without cached JSON and for past states, the engine builds the same
// bytes from the columns.

import type { Database } from '../../engine/database/database.ts'
import {
  columns,
  deriveOncePerEngine,
  externalIdField,
  type RecordKey,
  type Resource,
  type Resources,
  resourceNamed,
} from '../declarations/resource.ts'
import { memberName, titleName } from '../lists/request/options.ts'
import { findByKey } from './stored-forms.ts'

/** The related records to include, by reference: `{employee_id: {customer_id: {}}}`. A list of fields includes only the
 *  record's title, which is the first of these fields that is set: `{employee_id: ['name', 'email']}` adds a member
 *  `employee_name`. */
export type Includes = { [reference: string]: Includes | Title }
export type Title = readonly string[]

export function isTitle(included: Includes | Title): included is Title {
  return Array.isArray(included)
}

/** The column that caches a record's JSON: the part between its id and the closing brace. Null in records that have not
 *  been written since a migration added a field. */
export const jsonColumn = 'json_tail'

/** The SQL for a resource without included records, by far the most frequent case. This SQL does not refer to other
 *  resources. */
const plainSql = deriveOncePerEngine((engine, resource: Resource) => {
  const expression = cachedJson({ engine, resources: [], depth: 0, resource, table: resource.name }, {})
  const statements = {
    id: statement(resource, expression, 'id'),
    [externalIdField]: statement(resource, expression, externalIdField),
  }
  return { expression, statements }
})

/** The SQL expression for the JSON of a row in the resource's table. Included records follow the row's own members. */
export function recordJson(
  engine: Database['engine'],
  resource: Resource,
  resources: Resources,
  includes: Includes,
): string {
  if (Object.keys(includes).length === 0) return plainSql(engine, resource).expression
  return cachedJson({ engine, resources, depth: 0, resource, table: resource.name }, includes)
}

/** Like recordJson, for rows without cached JSON, such as those of a view. */
export function builtRecordJson(
  engine: Database['engine'],
  resource: Resource,
  resources: Resources,
  includes: Includes,
): string {
  return asText(engine, builtJson({ engine, resources, depth: 0, resource, table: resource.name }, includes))
}

/** A record as JSON text, with the time of its last change. */
export type RecordJson = { json: string; updatedAt: string }

/** Reads a record with its included records. Returns undefined if there is no such record. */
export async function findJson(
  database: Database,
  { resource, resources }: { resource: Resource; resources: Resources },
  key: RecordKey,
  includes?: Includes,
): Promise<RecordJson | undefined> {
  const { engine } = database
  const sql = includes
    ? statement(resource, recordJson(engine, resource, resources, includes), key.column)
    : plainSql(engine, resource).statements[key.column]
  return findByKey(key, (value) => database.get<RecordJson>(sql, [value]))
}

function statement(resource: Resource, json: string, column: RecordKey['column']): string {
  return `select ${json} as json, updated_at as "updatedAt" from ${resource.name} where ${column} = ?`
}

/** A record in a statement. `table`: the table's name or alias. `depth`: how many references lead to the record. */
type JsonScope = {
  engine: Database['engine']
  resources: Resources
  resource: Resource
  table: string
  depth: number
}

/** SQL for the cached text followed by the included records, or for the built text if nothing is cached. */
function cachedJson(scope: JsonScope, includes: Includes): string {
  const { table } = scope
  const included = Object.entries(includes).map(([reference, inner]) => {
    if (isTitle(inner)) {
      const title = referencedTitle(scope, reference, inner)
      const quoted = scope.engine === 'sqlite' ? `json_quote(${title})` : `to_json(${title})::text`
      return `',"${titleName(reference)}":' || coalesce(${quoted}, 'null')`
    }
    const record = referencedRecord(scope, reference, inner, cachedJson)
    return `',"${memberName(reference)}":' || coalesce(${record}, 'null')`
  })
  const cached = [`'{"id":' || ${table}.id || ${table}.${jsonColumn}`, ...included, `'}'`].join(' || ')
  return `coalesce(${cached}, ${asText(scope.engine, builtJson(scope, includes))})`
}

/** SQL that builds the JSON value from the columns. */
function builtJson(scope: JsonScope, includes: Includes): string {
  const members = [
    ...columns(scope.resource).map((name) => [name, columnSql(scope, name)] as const),
    ...Object.entries(includes).map(([reference, inner]) => {
      if (isTitle(inner)) return [titleName(reference), referencedTitle(scope, reference, inner)] as const
      const record = referencedRecord(scope, reference, inner, builtJson)
      return [memberName(reference), scope.engine === 'sqlite' ? `json(${record})` : record] as const
    }),
  ]
  if (scope.engine === 'sqlite') return `json_object(${members.map(([name, sql]) => `'${name}', ${sql}`).join(', ')})`
  const row = `r${scope.depth}`
  const list = members.map(([name, sql]) => `${sql} as ${name}`).join(', ')
  return `(select row_to_json(${row}) from (select ${list}) ${row})`
}

function asText(engine: Database['engine'], json: string): string {
  return engine === 'postgres' ? `${json}::text` : json
}

/** SQLite stores booleans as numbers, so they are converted to JSON booleans. */
function columnSql({ engine, resource, table }: JsonScope, name: string): string {
  if (engine === 'postgres' || resource.fields[name]?.kind !== 'boolean') return `${table}.${name}`
  return `json(case ${table}.${name} when 1 then 'true' when 0 then 'false' end)`
}

/** SQL for the referenced record's title, or null. */
function referencedTitle(scope: JsonScope, reference: string, title: Title): string {
  const { resource, table } = referencedScope(scope, reference)
  const fields = title.map((name) => `${table}.${name}`).join(', ')
  const first = title.length === 1 ? fields : `coalesce(${fields})`
  return `(select ${first} from ${resource.name} ${table} where ${table}.id = ${scope.table}.${reference})`
}

/** SQL for the referenced record, or null. The SQL is a subquery with an index lookup, because a join could change the
 *  list's query plan. */
function referencedRecord(scope: JsonScope, reference: string, includes: Includes, write: typeof builtJson): string {
  const inner = referencedScope(scope, reference)
  const { resource, table } = inner
  return `(select ${write(inner, includes)} from ${resource.name} ${table} where ${table}.id = ${scope.table}.${reference})`
}

function referencedScope(scope: JsonScope, reference: string): JsonScope {
  const field = scope.resource.fields[reference]
  if (field?.kind !== 'reference') throw new Error(`${scope.resource.name}.${reference} is not a reference`)
  const depth = scope.depth + 1
  return { ...scope, resource: resourceNamed(scope.resources, field.to), table: `t${depth}`, depth }
}
