// The columns of lists that a view can show: those of an export, and counts.

import { csvColumns, furtherColumns } from '../exports/columns.ts'
import type { Resource, Resources } from '../resource.ts'

/** How many records of another resource belong to a record, by the name of the column. */
export const countColumns: { readonly [resource: string]: readonly string[] } = {
  customers: ['employees_count', 'hardware_count'],
  employees: ['hardware_count'],
}

/** The names of all columns. */
export function viewColumns(resource: Resource, resources: Resources): string[] {
  const names = [...csvColumns(resource, resources), ...furtherColumns(resource, resources)].map(({ name }) => name)
  return [...names, ...(countColumns[resource.name] ?? [])]
}
