// Counts the records that belong to others: the people of branches, the hardware of people and branches.

import type { Database } from '../../database/database.ts'
import { type Resource, type Resources, resourceNamed } from '../resource.ts'

/** The number of records of `of` that refer to each of these records, directly or through another one; none for those with no
 *  record. Storage locations are no people. Throws if `of` does not refer to the resource. */
export async function countBelonging(
  database: Database,
  resources: Resources,
  { resource, of, ids }: { resource: string; of: string; ids: readonly number[] },
): Promise<[id: number, count: number][]> {
  const counted = resourceNamed(resources, of)
  const places = ids.map(() => '?').join(', ')
  const direct = referenceTo(counted, resource)
  const sql = direct
    ? `select ${direct} as id, count(*) as count from ${of} where ${direct} in (${places})${onlyPeople(counted)} group by ${direct}`
    : throughSql(counted, resources, resource, places)
  return (await database.all(sql, ids)).map((row) => [row.id as number, Number(row.count)])
}

function referenceTo({ fields }: Resource, resource: string): string | undefined {
  return Object.keys(fields).find((name) => {
    const field = fields[name]!
    return field.kind === 'reference' && field.to === resource
  })
}

function onlyPeople({ fields }: Resource): string {
  return 'kind' in fields ? ` and kind = 'person'` : ''
}

function throughSql(counted: Resource, resources: Resources, resource: string, places: string): string {
  for (const middle of resources) {
    const [first, second] = [referenceTo(counted, middle.name), referenceTo(middle, resource)]
    if (!first || !second) continue
    return `select m.${second} as id, count(*) as count from ${middle.name} m join ${counted.name} c on c.${first} = m.id
      where m.${second} in (${places}) group by m.${second}`
  }
  throw new Error(`${counted.name} does not refer to ${resource}`)
}
