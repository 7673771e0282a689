// What belongs to a branch: the records that change when the branch is closed.

import { type Database, limitClause, type Value } from '../../../engine/database/database.ts'
import { customers } from '../../declarations/customers.ts'
import { employees } from '../../declarations/employees.ts'
import { hardware } from '../../declarations/hardware.ts'
import { columns, type Resource, type Resources, referencesOf } from '../../declarations/resource.ts'
import { type StoredRecord, toRecord } from '../../records/changes.ts'

/** The number of records in each part of a branch. `people`: people who are active or still hold equipment; other
 *  people stay with the branch. `items`: assets in the branch's storage locations. `places`: the branch's active
 *  storage locations. `others`: records of other resources that refer to the branch, by resource. */
export type BranchContents = {
  people: number
  items: number
  places: number
  others: { readonly [resource: string]: number }
}

/** A part of a branch, as the query that selects its records. */
export type BranchPart = { resource: Resource; where: string; values: readonly Value[] }

export function branchParts(branch: number): Record<'people' | 'items' | 'places', BranchPart> {
  return {
    people: {
      resource: employees,
      where: `customer_id = ? and kind = 'person'
        and (is_active = ? or exists (select 1 from hardware where hardware.employee_id = employees.id))`,
      values: [branch, true],
    },
    items: { resource: hardware, where: isInStock, values: [branch] },
    places: {
      resource: employees,
      where: `customer_id = ? and kind = 'storage' and is_active = ?`,
      values: [branch, true],
    },
  }
}

const isInStock = `employee_id in (select id from employees where customer_id = ? and kind = 'storage')`

/** The records that refer to the branch in this field, for each such field of other resources. */
export function otherParts(resources: Resources, branch: number): (BranchPart & { field: string })[] {
  const others = resources.filter(({ name }) => name !== employees.name)
  return others.flatMap((resource) =>
    referencesOf(resource)
      .filter(({ to }) => to === customers.name)
      .map(({ name: field }) => ({ resource, field, where: `${field} = ?`, values: [branch] })),
  )
}

export async function countContents(database: Database, resources: Resources, branch: number): Promise<BranchContents> {
  const count = async ({ resource, where, values }: BranchPart) => {
    const row = await database.get(`select count(*) as count from ${resource.name} where ${where}`, values)
    return Number(row!.count)
  }
  const parts = branchParts(branch)
  const [people, items, places] = await Promise.all([count(parts.people), count(parts.items), count(parts.places)])
  const others: Record<string, number> = {}
  for (const part of otherParts(resources, branch))
    others[part.resource.name] = (others[part.resource.name] ?? 0) + (await count(part))
  return { people, items, places, others }
}

/** Reads the next records in one part of a branch, ordered by id. */
export async function readContents(
  database: Database,
  { resource, where, values }: BranchPart,
  { after, limit }: { after: number; limit: number },
): Promise<StoredRecord[]> {
  const selected = `select ${columns(resource).join(', ')} from ${resource.name}`
  const sql = `${selected} where ${where} and id > ? order by id ${limitClause}`
  const rows = await database.all<StoredRecord>(sql, [...values, after, limit])
  return rows.map((row) => toRecord(resource, row))
}

/** Whether the branch, or any record that belongs to it, has changed since change `seq`. */
export async function hasBranchChanged(
  database: Database,
  resources: Resources,
  branch: number,
  seq: number,
): Promise<boolean> {
  const others = otherParts(resources, branch).map(({ resource: { name }, where }) => [name, where] as const)
  const tests: (readonly [resource: string, records: string])[] = [
    ['employees', 'customer_id = ?'],
    ['hardware', isInStock],
    ['customers', 'id = ?'],
    ...others,
  ]
  const rows = await Promise.all(
    tests.map(([resource, where]) => {
      const sql = `select seq from changes
        where seq > ? and resource = ? and record_id in (select id from ${resource} where ${where}) limit 1`
      return database.get(sql, [seq, resource, branch])
    }),
  )
  return rows.some((row) => row !== undefined)
}
