// Orders of lists that only the panel has. Lists of the API are sorted by fields.

import { type Resource, type Resources, resourceNamed } from '../resource.ts'
import { countColumns, countedBy } from './counts.ts'
import { type TitleOrder, titleOrderOf } from './title-order.ts'

/** `titles`: sorts by the titles of related records. `counted`: sorts by the number of records of this resource that
 *  belong to each record. */
export type OwnOrder = { titles: TitleOrder } | { counted: Resource }

/** The order for a sort field such as `customer_name` or `hardware_count`. Undefined for the orders that the API
 *  has. */
export function ownOrderOf(resource: Resource, resources: Resources, sortField: string): OwnOrder | undefined {
  const titles = titleOrderOf(resource, resources, sortField)
  if (titles) return { titles }
  const isCount = countColumns[resource.name]?.includes(sortField) === true
  return isCount ? { counted: resourceNamed(resources, countedBy(sortField)) } : undefined
}
