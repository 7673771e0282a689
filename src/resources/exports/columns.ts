// The columns of a CSV export: the fields of a resource, and for human readers the titles of the records it refers to.

import { memberName } from '../lists/options.ts'
import type { Includes } from '../records/json.ts'
import { columns, type Resource, type Resources, resourceNamed } from '../resource.ts'

/** `name`: the field. With `of`, the column shows the title of the record that this reference leads to. */
export type Column = { name: string; of?: TitleSource }

/** `member`: the included record. `title`: its fields that can serve as a title; the first one that is set is shown. */
type TitleSource = { reference: string; member: string; resource: string; title: readonly string[] }

/** Every column: the fields in the order of a response, then a title for each reference, such as `customer_name`. */
export function csvColumns(resource: Resource, resources: Resources): Column[] {
  const own = columns(resource).map((name): Column => ({ name }))
  return [...own, ...titleColumns(resource, resources)]
}

function titleColumns({ fields }: Resource, resources: Resources): Column[] {
  return Object.entries(fields).flatMap(([reference, field]): Column[] => {
    if (field.kind !== 'reference') return []
    const { name, title = ['id'] } = resourceNamed(resources, field.to)
    const member = memberName(reference)
    return [{ name: `${member}_name`, of: { reference, member, resource: name, title } }]
  })
}

/** The records that have to be included for these columns. */
export function includesFor(wanted: readonly Column[]): Includes {
  return Object.fromEntries(wanted.flatMap(({ of }) => (of ? [[of.reference, {}] as const] : [])))
}
