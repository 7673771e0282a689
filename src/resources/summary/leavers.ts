// People who have left, or leave soon, and still hold equipment.

import { type Database, limitClause } from '../../database/database.ts'

/** `assets`: how many they hold, without what is lost or retired. */
export type Leaver = { id: number; title: string; is_active: boolean; end_date: string | null; assets: number }

/** `people` and `assets`: of all of them; `first`: those who leave first. */
export type Leavers = { people: number; assets: number; first: Leaver[] }

const mostNamed = 5

/** `leavingBy`: the last day of those who leave soon. */
export async function findLeavers(database: Database, leavingBy: string): Promise<Leavers> {
  const rows = await database.all(
    `select id, name, email, is_active, end_date, assets, count(*) over () as people, sum(assets) over () as all_assets
     from (
       select id, name, email, is_active, end_date,
         (
           select count(*) from hardware
           where employee_id = employees.id and status not in ('lost', 'retired')
         ) as assets
       from employees where kind = 'person' and (is_active = ? or end_date <= ?)
     ) leaver
     where assets > 0 order by end_date is null, end_date, id ${limitClause}`,
    [false, leavingBy, mostNamed],
  )
  const first = rows.map(
    ({ id, name, email, is_active, end_date, assets }): Leaver => ({
      ...{ id: Number(id), title: (name ?? email) as string, is_active: Boolean(is_active) },
      ...{ end_date: end_date as string | null, assets: Number(assets) },
    }),
  )
  return { people: Number(rows[0]?.people ?? 0), assets: Number(rows[0]?.all_assets ?? 0), first }
}
