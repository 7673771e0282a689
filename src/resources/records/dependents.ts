// The records that refer to a record and prevent its deletion.

import type { Database } from '../../database/database.ts'
import type { Resource, Resources } from '../resource.ts'

/** How many records of a resource refer to a record. */
export type Dependents = { resource: string; count: number }

/** The resources that have references to this one, with the names of these fields. */
export function referencesTo({ name }: Resource, resources: Resources): { from: Resource; fields: string[] }[] {
  return resources.flatMap((from) => {
    const references = Object.entries(from.fields).filter(
      ([, field]) => field.kind === 'reference' && field.to === name,
    )
    return references.length === 0 ? [] : [{ from, fields: references.map(([field]) => field) }]
  })
}

/** Counts the dependents of a record by resource; resources without any are left out. */
export async function countDependents(
  database: Database,
  resources: Resources,
  { resource, id }: { resource: Resource; id: number },
): Promise<Dependents[]> {
  const counts = await Promise.all(
    referencesTo(resource, resources).map(async ({ from, fields }): Promise<Dependents> => {
      const refers = fields.map((field) => `${field} = ?`).join(' or ')
      const sql = `select count(*) as count from ${from.name} where ${refers}`
      const row = await database.get(
        sql,
        fields.map(() => id),
      )
      return { resource: from.name, count: Number(row!.count) }
    }),
  )
  return counts.filter(({ count }) => count > 0)
}
