// The columns that a view can show: an export's columns, and counts.

import type { Resource, Resources } from '../declarations/resource.ts'
import { csvColumns, furtherColumns } from '../exports/columns.ts'
import { countColumnsOf } from '../lists/counts.ts'

/** The names of all columns. */
export function viewColumns(resource: Resource, resources: Resources): string[] {
  const names = [...csvColumns(resource, resources), ...furtherColumns(resource, resources)].map(({ name }) => name)
  return [...names, ...countColumnsOf(resource, resources)]
}
