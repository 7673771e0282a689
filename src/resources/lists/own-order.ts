// Orders of lists that only the panel has. Lists of the API are sorted by fields.

import { type Resource, type Resources, resourceNamed } from '../resource.ts'
import { countColumns, countedBy } from './counts.ts'
import { type TitleOrder, titleOrderOf } from './title-order.ts'

/** `titles`: by the titles of the records that a list refers to. `counted`: by how many records of this resource belong to each. */
export type OwnOrder = { titles: TitleOrder } | { counted: Resource }

/** The order that a list has with this sort field: `customer_name`, `hardware_count`. Undefined for a field of its own. */
export function ownOrderOf(resource: Resource, resources: Resources, sortField: string): OwnOrder | undefined {
  const titles = titleOrderOf(resource, resources, sortField)
  if (titles) return { titles }
  const isCount = countColumns[resource.name]?.includes(sortField) === true
  return isCount ? { counted: resourceNamed(resources, countedBy(sortField)) } : undefined
}
