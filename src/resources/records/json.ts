// A record as JSON text, the same to the byte whoever makes it: kept beside the record's columns, whence it is read several times
// as fast as it is made (docs/decisions/0019); or made of them by the engine, where it was not kept or shows another time.

import type { Database } from '../../database/database.ts'
import { memberName } from '../lists/options.ts'
import { columns, type Resource, type Resources, resourceNamed } from '../resource.ts'
import type { Values } from '../validate.ts'

/** The records to put inside a record, by the references that lead to them: `{employee_id: {customer_id: {}}}`. */
export type Includes = { [reference: string]: Includes }

/** The column that keeps the JSON of a record: what stands between its id and the last brace. Null in records that were last
 *  written before there was such a column. */
export const jsonColumn = 'json_tail'

/** What that column keeps of a record; `members` are all but the id, in the order of the answer. */
export function cacheableJson(members: Values): string {
  return `,${JSON.stringify(members).slice(1, -1)}`
}

/** What is written for a resource of which nothing else is included, as most often: the expression, the statement. */
type Plain = { expression: string; statement: string }

/** Written once. */
const plain = { sqlite: new WeakMap<Resource, Plain>(), postgres: new WeakMap<Resource, Plain>() }

/** The expression for a row of a resource's table, with what it includes behind its own members. */
export function recordJson(
  engine: Database['engine'],
  resource: Resource,
  resources: Resources,
  includes: Includes,
): string {
  if (Object.keys(includes).length === 0) return plainly(engine, resource, resources).expression
  return read({ engine, resources, depth: 0 }, resource, resource.name, includes)
}

/** The same for rows that have nothing but the columns of a record, as those of a view. */
export function recordJsonMade(
  engine: Database['engine'],
  resource: Resource,
  resources: Resources,
  includes: Includes,
): string {
  return asText(engine, make({ engine, resources, depth: 0 }, resource, resource.name, includes))
}

/** A record, with what it includes; undefined when there is none with this id. */
export async function findJson(
  database: Database,
  resource: Resource,
  resources: Resources,
  id: number,
  includes?: Includes,
): Promise<string | undefined> {
  const { engine } = database
  const sql = includes
    ? statement(resource, recordJson(engine, resource, resources, includes))
    : plainly(engine, resource, resources).statement
  return (await database.texts(sql, [id]))[0]
}

function plainly(engine: Database['engine'], resource: Resource, resources: Resources): Plain {
  const known = plain[engine].get(resource)
  if (known) return known
  const expression = read({ engine, resources, depth: 0 }, resource, resource.name, {})
  const written = { expression, statement: statement(resource, expression) }
  plain[engine].set(resource, written)
  return written
}

function statement(resource: Resource, json: string): string {
  return `select ${json} as json from ${resource.name} where id = ?`
}

type Place = { engine: Database['engine']; resources: Resources; depth: number }

/** The text as it is kept, with what is included behind it; made where none is kept. */
function read(place: Place, resource: Resource, table: string, includes: Includes): string {
  const behind = Object.entries(includes).map(([reference, inner]) => {
    const record = related(place, resource, table, reference, inner, read)
    return `',"${memberName(reference)}":' || coalesce(${record}, 'null')`
  })
  const kept = [`'{"id":' || ${table}.id || ${table}.${jsonColumn}`, ...behind, `'}'`].join(' || ')
  return `coalesce(${kept}, ${asText(place.engine, make(place, resource, table, includes))})`
}

/** A JSON value. */
function make(place: Place, resource: Resource, table: string, includes: Includes): string {
  const members = [
    ...columns(resource).map((name) => [name, value(place, resource, table, name)] as const),
    ...Object.entries(includes).map(([reference, inner]) => {
      const record = related(place, resource, table, reference, inner, make)
      return [memberName(reference), place.engine === 'sqlite' ? `json(${record})` : record] as const
    }),
  ]
  if (place.engine === 'sqlite') return `json_object(${members.map(([name, sql]) => `'${name}', ${sql}`).join(', ')})`
  const row = `r${place.depth}`
  const list = members.map(([name, sql]) => `${sql} as ${name}`).join(', ')
  return `(select row_to_json(${row}) from (select ${list}) ${row})`
}

function asText(engine: Database['engine'], json: string): string {
  return engine === 'postgres' ? `${json}::text` : json
}

/** Booleans are numbers in SQLite. */
function value({ engine }: Place, resource: Resource, table: string, name: string): string {
  if (engine === 'postgres' || resource.fields[name]?.kind !== 'boolean') return `${table}.${name}`
  return `json(case ${table}.${name} when 1 then 'true' when 0 then 'false' end)`
}

/** The record a reference leads to, or null. An index finds it: no join changes how the list is walked. */
function related(
  place: Place,
  resource: Resource,
  table: string,
  reference: string,
  includes: Includes,
  write: typeof make,
): string {
  const field = resource.fields[reference]
  if (field?.kind !== 'reference') throw new Error(`${resource.name}.${reference} is no reference`)
  const alias = `t${place.depth + 1}`
  const target = resourceNamed(place.resources, field.to)
  const json = write({ ...place, depth: place.depth + 1 }, target, alias, includes)
  return `(select ${json} from ${target.name} ${alias} where ${alias}.id = ${table}.${reference})`
}
