// The state of a list, read from the URL parameters. Some of the parameters are also API parameters; others exist only
// in the panel.

import { ownOrderOf } from '../../../domain/lists/own-orders.ts'
import { parseAmount } from '../../i18n/conventions.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { pageUrl, withoutEmpty } from '../../urls.ts'
import { readPastMoment, timeOf } from '../records/past.ts'

/** `filters`: the API parameters that select records, including `q`. `asOf`: a past time, or a past day (the list shows
 *  the end of that day). `cursor` and `before`: the position of the page. `from`: the position in the list of the
 *  page's first record, counting from 1. `columns`: the columns that the URL names. */
export type ListState = {
  filters: Record<string, string>
  sort: string | undefined
  limit: number
  asOf: string | null
  cursor: string | null
  before: string | null
  from: number
  columns: string[] | null
}

/** The page sizes that a user can choose. */
export const pageSizes = [25, 50, 100, 200] as const
export const standardSize = 50

/** The parameters that are not filters, besides those of fields in which users choose a record. */
const otherParameters = [
  'tenant',
  'resource',
  'notice',
  'sort',
  'limit',
  'as_of',
  'cursor',
  'before',
  'from',
  'columns',
  'selected',
  'total',
  'include',
  'find',
  'save_view',
  'delete_view',
  'keep_columns',
  'format',
  'delimiter',
  'sheet',
  'sum',
]

/** The suffix of input names for amounts of money, which users type in their own number format. */
const typedSuffix = '_typed'

export function readState(request: RecordRequest): ListState {
  const { query, texts } = request
  const filters: Record<string, string> = {}
  for (const name of new Set(query.keys())) {
    if (otherParameters.includes(name) || /^(find|was)\./.test(name)) continue
    const values = query.getAll(name).filter((value) => value.trim() !== '')
    if (values.length === 0) continue
    const value = values.join(',')
    if (name.endsWith(typedSuffix)) filters[name.slice(0, -typedSuffix.length)] = parseAmount(texts, value)
    else filters[name] = value
  }
  const size = Number(query.get('limit'))
  return {
    filters,
    sort: query.get('sort') || undefined,
    limit: pageSizes.find((each) => each === size) ?? standardSize,
    asOf: readPastMoment(request),
    cursor: query.get('cursor') || null,
    before: query.get('before') || null,
    from: /^\d{1,9}$/.test(query.get('from') ?? '') ? Number(query.get('from')) : 1,
    columns: query.has('columns') ? query.getAll('columns').join(',').split(',').filter(Boolean) : null,
  }
}

/** Whether the URL still contains parameters that only forms produce: empty or repeated ones, and text that a user
 *  typed. */
export function hasFormLeftovers({ query }: RecordRequest): boolean {
  const names = [...query.keys()]
  return (
    names.some((name) => name.endsWith(typedSuffix) || name.startsWith('find.')) ||
    new Set(names).size < names.length ||
    [...query].some(([name, value]) => value.trim() === '' && name !== 'columns')
  )
}

export function typedName(parameter: string): string {
  return `${parameter}${typedSuffix}`
}

/** Returns the sort order if only the panel, not the API, supports it. Returns undefined for an order by a field, and
 *  for a past day. */
export function ownSortOf({ resource, resources }: RecordRequest, { sort = '', asOf }: ListState) {
  const isDescending = sort.startsWith('-')
  const field = isDescending ? sort.slice(1) : sort
  const order = asOf === null ? ownOrderOf(resource, resources, field) : undefined
  return order && { field, isDescending }
}

/** Returns the list's API parameters, without cursor and limit. The API cannot sort by counts or by the titles of
 *  holders and branches. An order by counts is therefore left out, and an order by titles becomes an order by ids. */
export function apiParams(request: RecordRequest, { filters, sort, asOf }: ListState): Record<string, string> {
  const { texts, resource, resources, presentation } = request
  const filteredNames = Object.keys(filters).map((each) => each.replace(/\[.*$/, ''))
  const implied = Object.entries(presentation.impliedFilters).filter(([name]) => !filteredNames.includes(name))
  const panelOrder = ownOrderOf(resource, resources, sort?.replace(/^-/, '') ?? '')
  const reference = panelOrder && 'titled' in panelOrder ? panelOrder.references[0]! : undefined
  const apiSort = panelOrder ? reference : sort
  return {
    ...Object.fromEntries(implied),
    ...filters,
    ...(apiSort && { sort: apiSort }),
    ...(asOf && { as_of: timeOf(texts, asOf) }),
  }
}

/** Returns the parameters of the list's first page. */
export function addressParams(state: ListState): Record<string, string> {
  const { filters, sort, limit, asOf, columns } = state
  return withoutEmpty({
    ...filters,
    sort,
    limit: limit === standardSize ? undefined : String(limit),
    as_of: asOf,
    columns: columns?.join(','),
  })
}

/** Returns the parameters of the page that the list shows. */
export function placeParams(state: ListState): Record<string, string> {
  const { cursor, before, from } = state
  return { ...addressParams(state), ...withoutEmpty({ cursor, before, from: from > 1 ? String(from) : undefined }) }
}

/** Returns the URL of the list in this state, at its first page. */
export function stateUrl(
  { baseParams }: RecordRequest,
  state: ListState,
  more: Record<string, string | number> = {},
): string {
  return pageUrl('records.php', { ...baseParams, ...addressParams(state), ...more })
}

export function withoutFilters({ filters, ...state }: ListState, names: readonly string[]): ListState {
  const remaining = Object.entries(filters).filter(([name]) => !names.includes(name))
  return { ...state, filters: Object.fromEntries(remaining) }
}
