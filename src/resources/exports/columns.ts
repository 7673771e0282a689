// The columns of a CSV export: the fields of a resource, and for human readers the titles of the records it refers to.

import { titleName } from '../lists/options.ts'
import type { Includes, Title } from '../records/json.ts'
import { columns, type Resource, type Resources, resourceNamed } from '../resource.ts'

/** `name`: the member of the record. `of`: where a title comes from that is not one of its fields. */
export type Column = { name: string; of?: { reference: string; resource: string; title: Title } }

/** Every column: the fields in the order of a response, then a title for each reference, such as `customer_name`. */
export function csvColumns(resource: Resource, resources: Resources): Column[] {
  const own = columns(resource).map((name): Column => ({ name }))
  return [...own, ...titleColumns(resource, resources)]
}

function titleColumns({ fields }: Resource, resources: Resources): Column[] {
  return Object.entries(fields).flatMap(([reference, field]): Column[] => {
    if (field.kind !== 'reference') return []
    const { name, title = ['id'] } = resourceNamed(resources, field.to)
    return [{ name: titleName(reference), of: { reference, resource: name, title } }]
  })
}

/** What has to be included for these columns. */
export function includesFor(wanted: readonly Column[]): Includes {
  return Object.fromEntries(wanted.flatMap(({ of }) => (of ? [[of.reference, of.title] as const] : [])))
}
