// The records that refer to a record and prevent its deletion.

import type { Database } from '../../database/database.ts'
import type { Resource, Resources } from '../resource.ts'

/** How many records of a resource refer to a record. */
export type Dependents = { resource: string; count: number }

/** Fields of a resource that refer to another one. `refers`: SQL that is true for the records that refer to a record; its values are
 *  the id, once per field. */
export type Referring = { from: Resource; fields: string[]; refers: string }

/** The resources that have references to this one. */
export function referencesTo({ name }: Resource, resources: Resources): Referring[] {
  return resources.flatMap((from) => {
    const references = Object.entries(from.fields).filter(
      ([, field]) => field.kind === 'reference' && field.to === name,
    )
    const fields = references.map(([field]) => field)
    return fields.length === 0 ? [] : [{ from, fields, refers: fields.map((field) => `${field} = ?`).join(' or ') }]
  })
}

/** Counts the dependents of a record by resource; resources without any are left out. */
export async function countDependents(
  database: Database,
  resources: Resources,
  { resource, id }: { resource: Resource; id: number },
): Promise<Dependents[]> {
  const counts = await Promise.all(
    referencesTo(resource, resources).map(async ({ from, fields, refers }): Promise<Dependents> => {
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

/** The same in a sentence, which begins as the message of a database about the constraint. */
export function describeDependents({ singular }: Resource, dependents: readonly Dependents[]): string {
  const counts = dependents.map(({ resource, count }) => `${resource} (${count})`)
  return `FOREIGN KEY constraint failed: other records refer to this ${singular}: ${counts.join(', ')}.`
}
