// What the address of a list says: the parameters of the API, and those that only the panel has.

import { isDay } from '../../../resources/field-values.ts'
import { ownOrderOf } from '../../../resources/lists/own-order.ts'
import { readTimestamp } from '../../../resources/lists/timestamp.ts'
import type { Resource } from '../../../resources/resource.ts'
import { dayOf, endOfDay, parseAmount } from '../../i18n/conventions.ts'
import type { Texts } from '../../i18n/index.ts'
import { withoutEmpty } from '../../urls.ts'
import type { RecordRequest } from '../records/request.ts'

/** `filters`: parameters of the API that select records: filters and `q`. `asOf`: a past day, whose end the list shows,
 *  or a moment. `cursor`, `before` and `from`: the place in the list, and the number of its first record. `columns`:
 *  those of the address. */
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

/** The sizes of pages that a user chooses from. */
export const pageSizes = [25, 50, 100, 200] as const
export const standardSize = 50

/** The parameters that are no filters. */
const others = [
  ...[
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
    'total',
    'include',
  ],
  ...['find', 'find.customer_id', 'was.customer_id', 'find.employee_id', 'was.employee_id'],
  ...['save_view', 'delete_view', 'keep_columns', 'format', 'delimiter', 'sheet', 'sum'],
]

/** The end of the names of fields in which users type amounts of money. */
const typed = '_typed'

export function readState(request: RecordRequest): ListState {
  const { query, texts, deps } = request
  const filters: Record<string, string> = {}
  for (const name of new Set(query.keys())) {
    if (others.includes(name)) continue
    const values = query.getAll(name).filter((value) => value.trim() !== '')
    if (values.length === 0) continue
    const value = values.join(',')
    if (name.endsWith(typed)) filters[name.slice(0, -typed.length)] = parseAmount(texts, value)
    else filters[name] = value
  }
  const size = Number(query.get('limit'))
  return {
    filters,
    sort: query.get('sort') || undefined,
    limit: pageSizes.find((each) => each === size) ?? standardSize,
    asOf: readPast(texts, query.get('as_of') ?? '', deps.now()),
    cursor: query.get('cursor') || null,
    before: query.get('before') || null,
    from: /^\d{1,9}$/.test(query.get('from') ?? '') ? Number(query.get('from')) : 1,
    columns: query.has('columns') ? query.getAll('columns').join(',').split(',').filter(Boolean) : null,
  }
}

/** Null for what is not over: then the list is the current one. */
function readPast(texts: Texts, text: string, now: Date): string | null {
  const isPast = text < (isDay(text) ? dayOf(texts, now) : now.toISOString())
  return isPast && (isDay(text) || readTimestamp(text) === text) ? text : null
}

/** Whether the address has what a form without scripts leaves in it: empty or repeated parameters, and what was
 *  typed. */
export function isUntidy({ query }: RecordRequest): boolean {
  const names = [...query.keys()]
  return (
    names.some((name) => name.endsWith(typed) || name.startsWith('find.')) ||
    new Set(names).size < names.length ||
    [...query].some(([name, value]) => value.trim() === '' && name !== 'columns')
  )
}

export function typedName(parameter: string): string {
  return `${parameter}${typed}`
}

/** An order that the API does not have; undefined for one by a field, and for a past day. */
export function ownSortOf({ resource, resources }: RecordRequest, { sort = '', asOf }: ListState) {
  const isDescending = sort.startsWith('-')
  const field = isDescending ? sort.slice(1) : sort
  const order = asOf === null ? ownOrderOf(resource, resources, field) : undefined
  return order && { field, isDescending }
}

/** The parameters of the list in the API, without its page. In place of an order by titles, records of the same holder
 *  or branch are together. */
export function apiParams(request: RecordRequest, { filters, sort, asOf }: ListState): Record<string, string> {
  const { texts, resource, resources } = request
  const own = ownOrderOf(resource, resources, sort?.replace(/^-/, '') ?? '')
  const ofTitles = own && 'titles' in own ? own.titles.references[0]! : undefined
  const apiSort = own ? ofTitles : sort
  return {
    ...impliedBy(resource, filters),
    ...filters,
    ...(apiSort && { sort: apiSort }),
    ...(asOf && { as_of: isDay(asOf) ? endOfDay(texts, asOf) : asOf }),
  }
}

/** A list of people shows no storage locations, unless it is asked for them. */
function impliedBy({ name }: Resource, filters: Record<string, string>): Record<string, string> {
  const isAsked = Object.keys(filters).some((each) => each.replace(/\[.*$/, '') === 'kind')
  return name === 'employees' && !isAsked ? { kind: 'person' } : {}
}

/** The parameters of the address of this list, from its first page. */
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

/** The list without these filters. */
export function without({ filters, ...state }: ListState, names: readonly string[]): ListState {
  const kept = Object.entries(filters).filter(([name]) => !names.includes(name))
  return { ...state, filters: Object.fromEntries(kept) }
}
