// What belongs to a branch: the records that change when the branch is closed.

import { type Database, limitClause, type Value } from '../../../engine/database/database.ts'
import { employees } from '../../declarations/employees.ts'
import { hardware } from '../../declarations/hardware.ts'
import { findRecordsByIds } from '../../records/find-by-ids.ts'
import type { StoredRecord } from '../../records/target.ts'

/** The number of records in each part of a branch. `people`: people who are active or still hold equipment; other
 *  people stay with the branch. `items`: assets in the branch's storage locations. `places`: the branch's active
 *  storage locations. */
export type BranchContents = { people: number; items: number; places: number }

/** For each part of a branch, the query that selects its records. */
const parts = {
  people: {
    from: employees.name,
    where: `customer_id = ? and kind = 'person'
      and (is_active = ? or exists (select 1 from hardware where hardware.employee_id = employees.id))`,
    values: (branch: number): Value[] => [branch, true],
  },
  items: {
    from: hardware.name,
    where: `employee_id in (select id from employees where customer_id = ? and kind = 'storage')`,
    values: (branch: number): Value[] => [branch],
  },
  places: {
    from: employees.name,
    where: `customer_id = ? and kind = 'storage' and is_active = ?`,
    values: (branch: number): Value[] => [branch, true],
  },
} as const satisfies Record<keyof BranchContents, unknown>

export async function countContents(database: Database, branch: number): Promise<BranchContents> {
  const count = async (part: keyof BranchContents) => {
    const { from, where, values } = parts[part]
    const row = await database.get(`select count(*) as count from ${from} where ${where}`, values(branch))
    return Number(row!.count)
  }
  const [people, items, places] = await Promise.all([count('people'), count('items'), count('places')])
  return { people, items, places }
}

/** Reads the next records in one part of the branch, ordered by id. */
export async function readContents(
  database: Database,
  part: keyof BranchContents,
  branch: number,
  { after, limit }: { after: number; limit: number },
): Promise<StoredRecord[]> {
  const { from, where, values } = parts[part]
  const sql = `select id from ${from} where ${where} and id > ? order by id ${limitClause}`
  const ids = (await database.all(sql, [...values(branch), after, limit])).map(({ id }) => id as number)
  const records = await findRecordsByIds(database, from === 'hardware' ? hardware : employees, ids)
  return ids.map((id) => records.get(id)!)
}

/** Whether the branch, its people, its storage locations or its equipment in stock have changed since change `seq`. */
export async function hasBranchChanged(database: Database, branch: number, seq: number): Promise<boolean> {
  const tests: [resource: string, records: string][] = [
    ['customers', '= ?'],
    ['employees', 'in (select id from employees where customer_id = ?)'],
    ['hardware', `in (select id from hardware where ${parts.items.where})`],
  ]
  const rows = await Promise.all(
    tests.map(([resource, records]) => {
      const sql = `select seq from changes where seq > ? and resource = ? and record_id ${records} limit 1`
      return database.get(sql, [seq, resource, branch])
    }),
  )
  return rows.some((row) => row !== undefined)
}
