// SQL for records as they were at a point in time. It takes the current rows and undoes later changes: a field gets the
// value from before its first later change. The cost therefore grows with the number of changes since then.

import { type Database, rowsPerCheck, type Value } from '../../database/database.ts'
import type { Includes } from '../records/json.ts'
import { emptyValue, type Field, type Resource, type Resources, resourceNamed } from '../resource.ts'
import type { Clause } from '../search/index.ts'

type Engine = Database['engine']

/** `seq`: the last change made by a point in time. `since`: the number of changes after it. */
export type HistoryPosition = { seq: number; since: number }

/** Finds the position of a point in time by binary search. */
export async function pointAt(database: Database, moment: string): Promise<HistoryPosition> {
  const sql = `
    with recursive halves (low, high) as (
      select cast(0 as bigint), coalesce((select max(seq) from changes), 0)
      union all
      select case when c.at <= ? then c.seq else low end, case when c.at <= ? then high else c.seq - 1 end
      from halves join changes c on c.seq = (low + high + 1) / 2 where low < high
    )
    select low as seq, (select max(seq) from changes) as last from halves where low = high`
  const row = await database.get(sql, [moment, moment])
  if (!row) throw new Error('the history has a gap')
  return pointOf(row.seq as number, row.last)
}

/** The position after a change. */
export async function pointAfter(database: Database, seq: number): Promise<HistoryPosition> {
  const row = await database.get('select max(seq) as last from changes')
  return pointOf(seq, row?.last)
}

function pointOf(seq: number, last: Value | undefined): HistoryPosition {
  return { seq, since: Number(last ?? seq) - seq }
}

/** True for rows of a resource's table that have not changed since. */
export function unchangedSince({ name }: Resource, seq: number): Clause {
  const sql = `not exists (select 1 from changes c where c.resource = '${name}' and c.record_id = ${name}.id and c.seq > ?)`
  return { sql, values: [seq] }
}

/** A query for the records that existed then and were changed since, via the first later change of each. `by`: whether
 *  SQLite finds them by the changes, which is better if they are few, or by record. */
export function recordsChangedSince(engine: Engine, resource: Resource, seq: number, by: 'change' | 'record'): Clause {
  const plus = (isUnindexed: boolean) => (engine === 'sqlite' && isUnindexed ? '+' : '') // SQLite uses no index for `+column`
  const watch = engine === 'sqlite' ? `and case when f.seq & ${rowsPerCheck - 1} then 1 else within_budget() end` : ''
  const parts = [
    { sql: 'select f.record_id as id', values: [] },
    ...Object.entries(resource.fields).map(([name, field]) => undone(engine, resource, name, field, seq)),
    ...stampsThen(engine, resource, seq),
  ]
  return {
    sql: `${parts.map(({ sql }) => sql).join(', ')}
      from changes f left join ${tableOf(engine, resource)} t on t.id = f.record_id
      where ${plus(by === 'change')}f.resource = '${resource.name}' and ${plus(by === 'record')}f.seq > ? ${watch}
        and not exists (select 1 from changes e where ${ofSame(resource, 'e')} and e.seq > ? and e.seq < f.seq)
        and exists (select 1 from changes e where ${ofSame(resource, 'e')} and e.seq <= ?)`,
    values: [...parts.flatMap(({ values }) => values), seq, seq, seq],
  }
}

/** A query for all records that existed then. */
export function recordsThen(engine: Engine, resource: Resource, seq: number): Clause {
  const touched = recordsChangedSince(engine, resource, seq, 'record')
  const untouched = unchangedSince(resource, seq)
  const names = ['id', ...Object.keys(resource.fields), 'created_at', 'updated_at']
  const table = `${tableOf(engine, resource)} ${engine === 'sqlite' ? `as ${resource.name}` : ''}`
  return {
    sql: `select ${names.join(', ')} from ${table} where ${untouched.sql} union all ${touched.sql}`,
    values: [...untouched.values, ...touched.values],
  }
}

/** A `with` clause that replaces these tables by these queries in the statement that follows. */
export function withViews(views: readonly [name: string, query: Clause][]): Clause {
  if (views.length === 0) return { sql: '', values: [] }
  const list = views.map(([name, { sql }]) => `${name} as (${sql})`)
  return { sql: `with ${list.join(', ')}`, values: views.flatMap(([, { values }]) => values) }
}

/** The resources whose records these includes embed. */
export function reachedBy(resource: Resource, resources: Resources, includes: Includes): Resource[] {
  const reached = Object.entries(includes).flatMap(([reference, inner]) => {
    const field = resource.fields[reference]
    if (field?.kind !== 'reference') return []
    const target = resourceNamed(resources, field.to)
    return [target, ...reachedBy(target, resources, inner)]
  })
  return [...new Set(reached)]
}

/** The table itself, even if a `with` query has its name. On PostgreSQL such a query does not refer to itself. */
function tableOf(engine: Engine, { name }: Resource): string {
  return engine === 'sqlite' ? `main.${name}` : name
}

function ofSame({ name }: Resource, alias: string): string {
  return `${alias}.resource = '${name}' and ${alias}.record_id = f.record_id`
}

/** The past value of a field. It is read as JSON, which distinguishes null from absent, and then cast to the type of the
 *  column: SQLite optimizes a union only if both sides have the same types. A field that was added after the deletion of
 *  a record has its default. */
function undone(engine: Engine, resource: Resource, name: string, field: Field, seq: number): Clause {
  const member = engine === 'sqlite' ? `c.before -> '$.${name}'` : `c.before::json -> '${name}'`
  const before = `select ${member} from changes c where ${ofSame(resource, 'c')} and c.seq > ? and ${member} is not null
    order by c.seq limit 1`
  const fallback = JSON.stringify(emptyValue(field)).replaceAll("'", "''")
  if (engine === 'postgres') {
    const json = `coalesce((${before}), to_json(t.${name}), '${fallback}'::json) #>> '{}'`
    return { sql: `(${json})${castTo(field)} as ${name}`, values: [seq] }
  }
  const present = `case when t.${name} is not null then json_quote(t.${name}) end`
  const json = `coalesce((${before}), ${present}, '${fallback}') ->> '$'`
  return { sql: `cast(${json} as ${isNumber(field) ? 'integer' : 'text'}) as ${name}`, values: [seq] }
}

function castTo(field: Field): string {
  if (field.kind === 'boolean') return '::boolean'
  return isNumber(field) ? '::bigint' : ' collate "C"'
}

/** SQLite stores booleans as numbers. */
function isNumber({ kind }: Field): boolean {
  return kind === 'integer' || kind === 'reference' || kind === 'boolean'
}

function stampsThen(engine: Engine, resource: Resource, seq: number): Clause[] {
  const asText = (sql: string) => (engine === 'postgres' ? `(${sql}) collate "C"` : `cast(${sql} as text)`)
  const made = `select c.at from changes c where ${ofSame(resource, 'c')} order by c.seq limit 1`
  const changed = `select c.at from changes c where ${ofSame(resource, 'c')} and c.seq <= ? order by c.seq desc limit 1`
  return [
    { sql: `${asText(`coalesce(t.created_at, (${made}))`)} as created_at`, values: [] },
    { sql: `${asText(`(${changed})`)} as updated_at`, values: [seq] },
  ]
}
