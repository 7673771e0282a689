// Lists in the order of the titles of the records that they refer to, such as assets by the name of their holder or of its branch.

import type { Database } from '../../database/database.ts'
import type { Resource, Resources } from '../resource.ts'
import { resourceNamed } from '../resource.ts'
import { filtersOf, titleName } from './options.ts'
import { titleKey } from './sort-keys.ts'

/** The references that lead to the records whose titles are the order, and the resource of these. */
export type TitleOrder = { references: readonly string[]; middle: Resource | undefined; titled: Resource }

/** The order that a list has with this sort field: `employee_name`, `customer_name`. Undefined for a field of its own. */
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

/** The titles of all records of a resource as a subquery with the columns `id` and `title`. */
export function titlesSql({ engine }: Database, resource: Resource): string {
  return `(select id, ${titleKey(engine, resource)} as title from ${resource.name})`
}
