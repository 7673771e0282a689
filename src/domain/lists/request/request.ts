// Parses a list's query string into a ListQuery (contract §9). The errors for unknown parameters and invalid values
// list what is allowed.

import type { ParsedUrlQuery } from 'node:querystring'
import { cleanText } from '../../../lib/text.ts'
import { invalidRequest } from '../../../problem.ts'
import type { Resource, Resources } from '../../declarations/resource.ts'
import { allowedList, quote, shortenInput } from '../../fields/unknown-names.ts'
import { type Includes, isTitle } from '../../records/json.ts'
import { wordsOf } from '../../search/fold.ts'
import type { Condition, ListQuery } from '../query.ts'
import {
  controls,
  isOperatorOf,
  maxWords,
  readConditions,
  readFlag,
  readTimestamp,
  requireText,
  utcDayOf,
} from './operands.ts'
import { filtersOf, type ListOptions, parameterName } from './options.ts'

/** A parsed list request. The cursor is not decoded yet. */
export type ListRequest = Omit<ListQuery, 'after' | 'timeoutMs'> & { cursor: string | null }

export const [defaultLimit, maxLimit] = [50, 200]
/** What a query is about, and when. `toDay` returns the day of a moment, in UTC by default. Relative days such as `14d`
 *  are counted from the day of `as_of`, or of `now` if `as_of` is absent. */
export type ListScope = { resource: Resource; resources: Resources; now: Date; toDay?: (moment: Date) => string }

/** Throws `invalid_request` for unknown parameters and invalid values. */
export function readListRequest(query: ParsedUrlQuery, scope: ListScope): ListRequest {
  const { resource, resources, now, toDay = utcDayOf } = scope
  const options = filtersOf(resource, resources)
  const acceptsIn = (name: string) => options.filters.some((each) => each.name === name && isOperatorOf(each, 'in'))
  const parameters = requireOnce(query, acceptsIn)
  const asOf = readAsOf(query, now)
  const filters = Object.entries(parameters).filter(([name]) => !controls.includes(name))
  const conditions = filters.length === 0 ? [] : readConditions(filters, options, toDay(asOf ? new Date(asOf) : now))
  if (asOf !== null) requireNoSearch(parameters, conditions, options)
  return {
    asOf,
    limit: readLimit(parameters.limit),
    sort: readSort(parameters.sort ?? 'id', options),
    conditions,
    words: parameters.q === undefined ? [] : readWords(parameters.q, options),
    includes: readIncludes(query, resource, resources) ?? {},
    withTotal: parameters.total !== undefined && readFlag('total', parameters.total),
    cursor: parameters.cursor ?? null,
  }
}

/** Returns the records to include, or undefined if the `include` parameter is absent. Throws `invalid_request`. */
export function readIncludes(query: ParsedUrlQuery, resource: Resource, resources: Resources): Includes | undefined {
  const { include } = requireOnce({ include: query.include })
  if (include === undefined) return undefined
  const { includes } = filtersOf(resource, resources)
  const tree: Includes = {}
  for (const name of include.split(',')) {
    const match = includes.find((include) => include.name === name)
    if (!match)
      throw invalidRequest(`include ${quote(name)} is unknown; ${allowedList(includes.map((include) => include.name))}`)
    let node = tree
    for (const { reference } of match.path) {
      const inner = node[reference] ?? {}
      node[reference] = inner
      if (!isTitle(inner)) node = inner
    }
  }
  return tree
}

/** The names of the resources whose records `include` embeds. Ignores values that readIncludes rejects. */
export function includedResources(query: ParsedUrlQuery, resource: Resource, resources: Resources): string[] {
  if (query.include === undefined) return []
  const requested = [query.include].flat().flatMap((text) => text.split(','))
  const requestedIncludes = filtersOf(resource, resources).includes.filter(({ name }) => requested.includes(name))
  return [...new Set(requestedIncludes.flatMap(({ path }) => path.map(({ to }) => to)))]
}

/** Returns the time given in `as_of`, or null for the current state. Throws `invalid_request`. */
export function readAsOf(query: ParsedUrlQuery, now: Date): string | null {
  const { as_of: text } = requireOnce({ as_of: query.as_of })
  if (text === undefined) return null
  const moment = readTimestamp(text)
  if (typeof moment !== 'string') throw invalidRequest(`as_of does not take ${quote(text)}: ${moment.message}`)
  if (moment <= now.toISOString()) return moment
  throw invalidRequest(`as_of is in the future: ${quote(text)} is later than ${now.toISOString()}.`)
}

/** Throws `invalid_request` for searches and for conditions on the time of a change, because lists of past states
 *  support neither. */
function requireNoSearch(
  parameters: Record<string, string | undefined>,
  conditions: readonly Condition[],
  { filters }: ListOptions,
): void {
  const since = filters.find(
    ({ name, field }) =>
      (field.kind === 'since' || field.kind === 'creation') && conditions.some(({ filter }) => filter === name),
  )
  if (since) throw invalidRequest(`${since.name} filters only current records; leave out ${since.name} or as_of.`)
  const searched = conditions.find(({ operator }) => operator === 'contains')
  if (parameters.q === undefined && !searched) return
  const name = searched ? parameterName(searched.filter, 'contains') : 'q'
  throw invalidRequest(`${name} searches only current records; leave out ${name} or as_of.`)
}

/** Throws `invalid_request` if a parameter is given more than once. `hasIn`: whether the parameter has an `[in]` form,
 *  which the message then suggests. */
export function requireOnce(
  query: ParsedUrlQuery,
  hasIn: (name: string) => boolean = () => false,
): Record<string, string | undefined> {
  if (isSingle(query)) return query
  const name = Object.keys(query).find((each) => Array.isArray(query[each])) ?? ''
  const advice = hasIn(name) ? `, or give several values as ${name}[in]=a,b` : ''
  throw invalidRequest(`${shortenInput(name)} is given more than once; give it once${advice}.`)
}

function isSingle(query: ParsedUrlQuery): query is Record<string, string | undefined> {
  for (const name in query) if (Array.isArray(query[name])) return false
  return true
}

/** Whether the query is for an export. Throws `invalid_request` if a parameter that applies only to exports is used
 *  without `format`. */
export function isExport(query: ParsedUrlQuery): boolean {
  if (query.format !== undefined) return true
  const lone = ['fields', 'delimiter', 'for'].find((name) => query[name] !== undefined)
  if (lone !== undefined) throw invalidRequest(`${lone} applies only to exports; add format=csv or format=ndjson.`)
  return false
}

/** Whether a parameter of a list or an export accepts several values. */
export function isListParameter(name: string): boolean {
  return name.endsWith('[in]') || ['include', 'fields', 'missing'].includes(name)
}

/** Parses the page size. Throws `invalid_request`. */
export function readLimit(text: string = String(defaultLimit)): number {
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= maxLimit) return limit
  throw invalidRequest(`limit must be a whole number from 1 to ${maxLimit}, not ${quote(text)}.`)
}

function readSort(text: string, { sorts }: ListOptions): ListQuery['sort'] {
  const isDescending = text.startsWith('-')
  const field = isDescending ? text.slice(1) : text
  if (sorts.includes(field)) return { field, isDescending }
  throw invalidRequest(`sort ${quote(text)} is unknown; a leading minus reverses the order; ${allowedList(sorts)}`)
}

function readWords(text: string, { isSearchable }: ListOptions): string[] {
  if (!isSearchable) throw invalidRequest('q searches text fields, but these records have none.')
  requireText('q', text)
  const words = wordsOf(cleanText(text))
  if (words.length > maxWords) throw invalidRequest(`q has ${words.length} words; at most ${maxWords} are allowed.`)
  return words
}

/** Joins the values of each repeated list parameter with commas, because HTTP libraries repeat a parameter for each
 *  value, with or without `[]` after its name (contract §27): `id[in]=1&id[in][]=2` becomes `id[in]=1,2`. `isList`:
 *  whether a parameter accepts a list. Other parameters stay as they are. */
export function joinLists(query: ParsedUrlQuery, isList: (name: string) => boolean): ParsedUrlQuery {
  if (!hasRepeats(query)) return query
  const joined: ParsedUrlQuery = Object.create(null)
  for (const [parameter, value] of Object.entries(query)) {
    const withoutBrackets = parameter.replace(/\[\]$/, '')
    const name = isList(withoutBrackets) ? withoutBrackets : parameter
    const values = [joined[name] ?? [], value ?? []].flat()
    joined[name] = isList(name) || values.length === 1 ? values.join(',') : values
  }
  return joined
}

/** A loop, because this runs for every read. */
function hasRepeats(query: ParsedUrlQuery): boolean {
  for (const name in query) if (typeof query[name] !== 'string' || name.endsWith('[]')) return true
  return false
}
