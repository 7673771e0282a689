// Counts the records that belong to other records: a branch's people, and a person's or branch's hardware. Sums a field
// over all records that match a list's filters.

import { budgetCheck, type Database } from '../../engine/database/database.ts'
import { unpaddedPlaceholders } from '../../engine/database/statements.ts'
import { type Declared, type Resource, type Resources, referencesOf, resourceNamed } from '../declarations/resource.ts'
import { choosePlan, whereOf } from './page.ts'
import type { List } from './query.ts'

/** The columns that count how many records of each other resource belong to a record, directly or through another
 *  record: `employees_count` and `hardware_count` for customers. */
export function countColumnsOf({ name }: Resource, resources: Resources): string[] {
  const refersTo = (counted: Resource) => referenceTo(counted, name) !== undefined
  const belongs = (counted: Resource) =>
    refersTo(counted) || resources.some((middle) => referenceTo(counted, middle.name) && refersTo(middle))
  return resources.filter(belongs).map((counted) => `${counted.name}_count`)
}

/** The resource whose records a column counts. */
export function countedBy(column: string): string {
  return column.slice(0, -'_count'.length)
}

/** For each of the given records, counts the records that refer to it, directly or through another record. Counts of 0
 *  are left out. `of`: the resource whose records are counted. Storage locations are not counted as people. Throws if
 *  `of` does not refer to the resource. */
export async function countBelonging(
  database: Database,
  { resource, of, ids }: { resource: string; of: string; ids: readonly number[] },
  { resources }: Declared,
): Promise<[id: number, count: number][]> {
  const among = (key: string) => `${key} in (${unpaddedPlaceholders(ids)})`
  const sql = countsSql(resources, resource, resourceNamed(resources, of), among)
  const rows = await database.all<{ id: number; count: number }>(sql, ids)
  return rows.map(({ id, count }) => [id, Number(count)])
}

type Among = (key: string) => string

/** Returns a query that selects, for each record of the resource, its `id` and the `count` of `counted` records that
 *  belong to it. Counts of 0 are left out. `among`: returns an SQL condition that limits the ids. Without it, records
 *  that refer to the resource through an intermediate record are first counted by intermediate record, so that each
 *  intermediate record is joined only once. */
export function countsSql(resources: Resources, resource: string, counted: Resource, among?: Among): string {
  const direct = referenceTo(counted, resource)
  const onlyPeople = 'kind' in counted.fields ? ` and kind = 'person'` : ''
  return direct
    ? `select ${direct} as id, count(*) as count from ${counted.name} where ${among?.(direct) ?? 'true'}${onlyPeople} group by ${direct}`
    : throughSql(counted, resources, resource, among)
}

function referenceTo(from: Resource, resource: string): string | undefined {
  return referencesOf(from).find(({ to }) => to === resource)?.name
}

function throughSql(counted: Resource, resources: Resources, resource: string, among: Among | undefined): string {
  for (const middle of resources) {
    const [first, second] = [referenceTo(counted, middle.name), referenceTo(middle, resource)]
    if (!first || !second) continue
    return among
      ? `select m.${second} as id, count(*) as count from ${middle.name} m join ${counted.name} c on c.${first} = m.id
         where ${among(`m.${second}`)} group by m.${second}`
      : `select m.${second} as id, sum(c.count) as count from ${middle.name} m
         join (select ${first}, count(*) as count from ${counted.name} group by ${first}) c on c.${first} = m.id
         group by m.${second}`
  }
  throw new Error(`${counted.name} does not refer to ${resource}`)
}

/** SQL for the sum of a column; 0 if there are no values. Convert the result with Number: on PostgreSQL it has the type
 *  `numeric`. On SQLite, `total` returns a floating-point number, which is exact up to 2^53; `sum` would fail beyond 64
 *  bits, and node:sqlite cannot read integers above 2^53. */
export function sumOf(engine: Database['engine'], column: string): string {
  return engine === 'sqlite' ? `total(${column})` : `coalesce(sum(${column}), 0)`
}

/** The sum of a field over all records that match the list's filters; 0 if no record has a value. Throws TooSlow. */
export async function sumMatches(list: List, field: string): Promise<number> {
  const { database, resource, query } = list
  if (resource.fields[field]?.kind !== 'integer') throw new Error(`${resource.name}.${field} cannot be summed`)
  database.setBudget(query.timeoutMs)
  const { countClauses } = await choosePlan(list)
  const where = whereOf([...budgetCheck(database, 'id'), ...countClauses])
  const row = await database.get<{ sum: number }>(
    `select ${sumOf(database.engine, field)} as sum from ${resource.name} ${where.sql}`,
    where.values,
  )
  return Number(row!.sum)
}
