// Lists sorted by the titles of related records, such as assets by their holder's name or by the name of the holder's
// branch.

import type { Database } from '../../../engine/database/database.ts'
import type { Resource, Resources } from '../../declarations/resource.ts'
import { resourceNamed } from '../../declarations/resource.ts'
import { filtersOf, titleName } from '../request/options.ts'
import { titleKey } from '../sort-keys.ts'

/** `references`: the one or two references that lead to the titled records. `middle`: the resource between two
 *  references. `titled`: the titled records' resource. */
export type TitleOrder = { references: readonly string[]; middle: Resource | undefined; titled: Resource }

/** The order for a sort field such as `employee_name` or `customer_name`. Undefined for other fields. */
export function titleOrderOf(resource: Resource, resources: Resources, sortField: string): TitleOrder | undefined {
  const { includes } = filtersOf(resource, resources)
  const path = includes.find(({ path }) => titleName(path.at(-1)!.reference) === sortField)?.path
  if (!path) return undefined
  const [middle, titled] = path.length === 1 ? [undefined, path[0]!] : path
  return {
    references: path.map(({ reference }) => reference),
    middle: middle && resourceNamed(resources, middle.to),
    titled: resourceNamed(resources, titled!.to),
  }
}

/** Returns a subquery that selects the `id` and `title` of every record of a resource. */
export function titlesSql({ engine }: Database, resource: Resource): string {
  return `(select id, ${titleKey(engine, resource)} as title from ${resource.name})`
}
