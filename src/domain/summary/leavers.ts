// People who have left, or leave soon, and still hold equipment.

import { type Clause, type Database, limitClause } from '../../engine/database/database.ts'
import { isOneOf } from '../../engine/database/statements.ts'

/** `assets`: the number of assets that the person holds, not counting lost and retired ones. */
export type LeavingHolder = { id: number; title: string; is_active: boolean; end_date: string | null; assets: number }

/** `people`: the number of leavers. `first`: up to five of them, in the order in which they leave. */
export type Leavers = { people: number; first: LeavingHolder[] }

const maxNamed = 5

/** A condition for people who have left or leave soon. `leavingBy`: people count as leaving soon if their last day of
 *  work is this day or earlier. */
export function isLeaver(leavingBy: string): Clause {
  return { sql: `kind = 'person' and (is_active = ? or end_date <= ?)`, values: [false, leavingBy] }
}

/** A condition for the assets that a leaver must return. */
export const isToReturn = `status not in ('lost', 'retired')`

/** `assetCounts`: the number of assets by person id. */
export async function nameLeavers(database: Database, assetCounts: Record<string, number>): Promise<Leavers> {
  const ids = Object.keys(assetCounts)
  if (ids.length === 0) return { people: 0, first: [] }
  const { sql, values } = isOneOf(database.engine, 'id', ids)
  type Person = Omit<LeavingHolder, 'title' | 'assets'> & { name: string | null; email: string }
  const rows = await database.all<Person>(
    `select id, name, email, is_active, end_date from employees
     where ${sql} order by end_date is null, end_date, id ${limitClause}`,
    [...values, maxNamed],
  )
  const first = rows.map(({ name, email, ...person }): LeavingHolder => {
    return { ...person, title: name ?? email, is_active: Boolean(person.is_active), assets: assetCounts[person.id]! }
  })
  return { people: ids.length, first }
}
