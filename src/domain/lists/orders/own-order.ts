// Sort orders that only the panel offers. The API sorts lists by fields.

import { type Resource, type Resources, resourceNamed } from '../../declarations/resource.ts'
import { countColumnsOf, countedBy } from '../counts.ts'
import { type TitleOrder, titleOrderOf } from './title-order.ts'

/** `titles`: sorts by the titles of related records. `counted`: sorts by the number of records of this resource that
 *  belong to each record. */
export type OwnOrder = { titles: TitleOrder } | { counted: Resource }

/** The order for a sort field such as `customer_name` or `hardware_count`. Undefined for a field by which the API can
 *  sort. */
export function ownOrderOf(resource: Resource, resources: Resources, sortField: string): OwnOrder | undefined {
  const titles = titleOrderOf(resource, resources, sortField)
  if (titles) return { titles }
  const isCount = countColumnsOf(resource, resources).includes(sortField)
  return isCount ? { counted: resourceNamed(resources, countedBy(sortField)) } : undefined
}
