// The records that refer to a record and prevent its deletion.

import type { Database } from '../../engine/database/database.ts'
import { type Resource, type Resources, referencesOf } from '../declarations/resource.ts'

/** The number of records of a resource that refer to a given record. */
export type DependentCount = { resource: string; count: number }

/** A resource with references to another one. `condition`: a WHERE condition for the records that refer to a given one;
 *  bind the id once per field. */
export type ReferringResource = { from: Resource; fields: string[]; condition: string }

export function referencesTo({ name }: Resource, resources: Resources): ReferringResource[] {
  return resources.flatMap((from) => {
    const references = referencesOf(from).filter(({ to }) => to === name)
    const fields = references.map((reference) => reference.name)
    return fields.length === 0 ? [] : [{ from, fields, condition: fields.map((field) => `${field} = ?`).join(' or ') }]
  })
}

/** Counts the dependents of a record by resource. Resources without dependents are left out. */
export async function countDependents(
  database: Database,
  resources: Resources,
  { resource, id }: { resource: Resource; id: number },
): Promise<DependentCount[]> {
  const counts = await Promise.all(
    referencesTo(resource, resources).map(async ({ from, fields, condition }): Promise<DependentCount> => {
      const sql = `select count(*) as count from ${from.name} where ${condition}`
      const ids = fields.map(() => id)
      const row = await database.get(sql, ids)
      return { resource: from.name, count: Number(row!.count) }
    }),
  )
  return counts.filter(({ count }) => count > 0)
}

/** A sentence with these counts. It begins like SQLite's error message, on both engines, because the response has the
 *  database's message (specification §7). */
export function describeDependents({ singular }: Resource, dependents: readonly DependentCount[]): string {
  const counts = dependents.map(({ resource, count }) => `${resource} (${count})`)
  return `FOREIGN KEY constraint failed: other records refer to this ${singular}: ${counts.join(', ')}.`
}
