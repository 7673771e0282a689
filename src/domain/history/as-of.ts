// Builds SQL for records as they were at a point in time. The SQL undoes later changes to the current rows: each field
// gets the value that it had before its first later change. The cost therefore grows with the number of later changes.

import type { Clause, Database, Value } from '../../engine/database/database.ts'
import { columns, type Resource, type Resources, resourceNamed } from '../declarations/resource.ts'
import { type Includes, isTitle } from '../records/json.ts'
import { changedOnPostgres } from './as-of-postgres.ts'
import { changedOnSqlite } from './as-of-sqlite.ts'
import { historyStart, tooOld } from './start.ts'

type Engine = Database['engine']

/** `seq`: the sequence number of the last change up to a point in time. `laterChanges`: how many changes came later. */
export type HistoryPosition = { seq: number; laterChanges: number }

/** Finds the position of a point in time by binary search. If the clock was once set back, earlier changes can have later
 *  times: the newest change is then compared first, so that the present shows all changes. Throws `invalid_request` for a
 *  time before the history starts. */
export async function positionAt(database: Database, moment: string): Promise<HistoryPosition> {
  const start = await historyStart(database)
  if (moment < start.at) throw tooOld('as_of', start)
  const sql = `
    with recursive halves (low, high) as (
      select coalesce((select seq from changes where seq = (select max(seq) from changes) and at <= ?), cast(? as bigint)),
        coalesce((select max(seq) from changes), 0)
      union all
      select case when c.at <= ? then c.seq else low end, case when c.at <= ? then high else c.seq - 1 end
      from halves join changes c on c.seq = (low + high + 1) / 2 where low < high
    )
    select low as seq, (select max(seq) from changes) as last from halves where low = high`
  const row = await database.get(sql, [moment, start.seq, moment, moment])
  if (!row) throw new Error('the history has a gap')
  return positionOf(row.seq as number, row.last)
}

/** Returns the position after change number `seq`. Throws `invalid_request` for a change before the history starts. */
export async function positionAfter(database: Database, seq: number): Promise<HistoryPosition> {
  const start = await historyStart(database)
  if (seq < start.seq) throw tooOld('The state that this list shows', start)
  const row = await database.get('select max(seq) as last from changes')
  return positionOf(seq, row?.last)
}

/** The newest change's number, or 0 if there is none. */
export async function latestSeq(database: Database): Promise<number> {
  return Number((await database.get('select max(seq) as last from changes'))?.last ?? 0)
}

/** Selects the latest time among the newest changes, as `at`. There is no index on times. */
export const latestChangeTime = 'select max(at) as at from (select at from changes order by seq desc limit 1000) newest'

function positionOf(seq: number, last: Value | undefined): HistoryPosition {
  return { seq, laterChanges: Number(last ?? seq) - seq }
}

/** Returns a condition that is true for records that have not changed since change `seq`. */
export function unchangedSince({ name }: Resource, seq: number): Clause {
  const sql = `not exists (select 1 from changes c where c.resource = '${name}' and c.record_id = ${name}.id and c.seq > ?)`
  return { sql, values: [seq] }
}

/** Returns a query for the records that existed at change `seq` and have changed since. `by`: whether SQLite searches
 *  by change, which is faster if there are few changes, or by record. */
export function recordsChangedSince(engine: Engine, resource: Resource, seq: number, by: 'change' | 'record'): Clause {
  return engine === 'sqlite' ? changedOnSqlite(resource, seq, by) : changedOnPostgres(resource, seq)
}

/** Returns a query for all records that existed at change `seq`. */
export function recordsAsOf(engine: Engine, resource: Resource, seq: number): Clause {
  const changed = recordsChangedSince(engine, resource, seq, 'record')
  const unchanged = unchangedSince(resource, seq)
  const table = engine === 'sqlite' ? `main.${resource.name} as ${resource.name}` : resource.name
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
