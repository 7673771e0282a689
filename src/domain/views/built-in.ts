// The views that every tenant has. These views are not stored, so that a new version can improve them. A view's id
// never changes. The query of "Warranty ending soon" depends on one of the tenant's settings.

import { settings } from '../declarations/settings.ts'
import type { View } from './view.ts'

type BuiltIn = Pick<View, 'id' | 'name' | 'resource' | 'query'>

/** The part of a query that selects assets which are neither lost nor retired. */
export const presentAssets = 'status[in]=in_use,spare,reserved,in_repair'

/** The filters that select the people who have not left. */
export const currentPeople = { kind: 'person', employment: 'current' }

const declared = [
  {
    id: -6,
    name: 'In stock',
    resource: 'hardware',
    query: 'employee.kind=storage&status[in]=spare,reserved&sort=name',
  },
  {
    id: -5,
    name: 'In repair for over 14 days',
    resource: 'hardware',
    query: 'status=in_repair&status_since[lt]=-14d&sort=name',
  },
  {
    id: -4,
    name: 'Warranty ending soon',
    resource: 'hardware',
    query: warrantyQuery(settings.fields.warranty_notice_days.default),
  },
  { id: -9, name: 'Leaving within 30 days', resource: 'employees', query: 'employment=30d&kind=person&sort=end_date' },
  { id: -8, name: 'Left', resource: 'employees', query: 'employment=left&kind=person&sort=-end_date' },
  { id: -3, name: 'Loans overdue', resource: 'hardware', query: 'loan=overdue&sort=due_back' },
  {
    id: -2,
    name: 'Held by people who left',
    resource: 'hardware',
    query: `employee.employment=left&employee.kind=person&${presentAssets}&sort=employee_id`,
  },
  {
    id: -1,
    name: 'Without serial number or asset tag',
    resource: 'hardware',
    query: `missing=serial_number,asset_tag&${presentAssets}&sort=name`,
  },
] as const satisfies readonly BuiltIn[]

/** The query for warranties that end within the tenant's `warranty_notice_days`. */
export function warrantyQuery(noticeDays: number): string {
  return `warranty=${noticeDays}d&${presentAssets}&sort=warranty_end`
}

export function builtInQuery(name: (typeof declared)[number]['name']): string {
  return declared.find((view) => view.name === name)!.query
}

/** The built-in views with the default settings, sorted by id. */
export const builtInViews: readonly View[] = (declared as readonly BuiltIn[])
  .map((view) => ({
    ...view,
    columns: null,
    is_shared: true,
    api_key_id: null,
    user_id: null,
    created_at: null,
    updated_at: null,
  }))
  .toSorted((one, other) => one.id - other.id)

/** The built-in views of a tenant with this `warranty_notice_days`. */
export function builtInViewsOf(noticeDays: number): readonly View[] {
  return builtInViews.map((view) => (view.id === -4 ? { ...view, query: warrantyQuery(noticeDays) } : view))
}
