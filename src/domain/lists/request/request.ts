// Parses a list's query string into a ListQuery (contract §9). The errors for unknown parameters and invalid values
// list what is allowed.

import type { ParsedUrlQuery } from 'node:querystring'
import { invalidRequest, type Problem } from '../../../problem.ts'
import type { Resource, Resources, WordFilter, WritableField } from '../../declarations/resource.ts'
import { type FieldValue, isFieldError, readValue } from '../../fields/field-values.ts'
import { suggestName } from '../../fields/unknown-names.ts'
import type { Includes } from '../../records/json.ts'
import { fold, wordsOf } from '../../search/fold.ts'
import type { Condition, ListQuery } from '../query.ts'
import { type Filter, filtersOf, type ListField, type ListOptions, type Operator, parameterName } from './options.ts'
import { readRelativeDay, readTimestamp, utcDayOf } from './timestamp.ts'

/** A parsed list request. The cursor is not decoded yet. */
export type ListRequest = Omit<ListQuery, 'after' | 'timeoutMs'> & { cursor: string | null }

export const [defaultLimit, maxLimit] = [50, 200]
/** The maximum number of values in an `[in]` filter, and of words in `q`. Queries within these limits are cheap, and
 *  nobody needs more in practice. */
export const [maxValues, maxWords] = [200, 20]

/** The parameters other than filters. */
const controls = ['limit', 'cursor', 'sort', 'q', 'total', 'include', 'as_of'] as const

/** `toDay` returns the day of a moment, in UTC by default. Relative days such as `14d` are counted from the day of
 *  `as_of`, or of `now` if `as_of` is absent. Throws `invalid_request` for unknown parameters and invalid values. */
export function readListRequest(
  query: ParsedUrlQuery,
  resource: Resource,
  resources: Resources,
  now: Date,
  toDay = utcDayOf,
): ListRequest {
  const options = filtersOf(resource, resources)
  const parameters = requireOnce(query, (name) => acceptsIn(name, options))
  const asOf = readAsOf(query, now)
  const filters = Object.entries(parameters).filter(([name]) => !isControl(name))
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
    const known = includes.find((include) => include.name === name)
    if (!known)
      throw invalidRequest(`include ${quote(name)} is unknown; ${allowedList(includes.map((include) => include.name))}`)
    let node = tree
    for (const { reference } of known.path) {
      node[reference] ??= {}
      node = node[reference] as Includes
    }
  }
  return tree
}

/** The names of the resources whose records `include` embeds. Ignores values that readIncludes rejects. */
export function includedResources(query: ParsedUrlQuery, resource: Resource, resources: Resources): string[] {
  if (query.include === undefined) return []
  const requested = [query.include].flat().flatMap((text) => text.split(','))
  const known = filtersOf(resource, resources).includes.filter(({ name }) => requested.includes(name))
  return [...new Set(known.flatMap(({ path }) => path.map(({ to }) => to)))]
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
    ({ name, field }) => field.kind === 'since' && conditions.some(({ filter }) => filter === name),
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
  for (const name in query) {
    if (!Array.isArray(query[name])) continue
    const advice = hasIn(name) ? `, or give several values as ${name}[in]=a,b` : ''
    throw invalidRequest(`${shorten(name)} is given more than once; give it once${advice}.`)
  }
  return query as Record<string, string | undefined>
}

function acceptsIn(name: string, { filters }: ListOptions): boolean {
  return filters.some((filter) => filter.name === name && isOperatorOf(filter, 'in'))
}

/** Whether a parameter of a list or an export accepts several values. */
export function isListParameter(name: string): boolean {
  return name.endsWith('[in]') || ['include', 'fields', 'missing'].includes(name)
}

function isControl(name: string): boolean {
  return (controls as readonly string[]).includes(name)
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
  const words = wordsOf(text)
  if (words.length > maxWords) throw invalidRequest(`q has ${words.length} words; at most ${maxWords} are allowed.`)
  return words
}

function readFlag(name: string, text: string): boolean {
  const value = readValue({ kind: 'boolean' }, text)
  if (isFieldError(value)) throw invalidRequest(`${name} must be true or false, not ${quote(text)}.`)
  return value === true
}

function readConditions(
  filters: [name: string, text: string | undefined][],
  options: ListOptions,
  today: string,
): Condition[] {
  return filters.map(([name, text]) => readCondition(name, text!, options, today))
}

/** Parses a parameter of the form `name` or `name[operator]`. */
function readCondition(parameter: string, text: string, options: ListOptions, today: string): Condition {
  const [, name = '', , operator = 'eq'] = /^([^[\]]*)(\[([^[\]]*)\])?$/.exec(parameter) ?? []
  const filter = options.filters.find((known) => known.name === name)
  if (!filter) throw noSuchParameter(parameter, namesOfParameters(options), allowedParameters(options))
  if (!isOperatorOf(filter, operator) || parameter === `${name}[eq]`) {
    const known = filter.operators.map((allowed) => parameterName(name, allowed))
    throw invalidRequest(`There is no parameter ${quote(parameter)}; ${allowedList(known)}`)
  }
  return { filter: name, operator, values: readValues(parameter, filter, operator, text, today) }
}

function isOperatorOf(filter: Filter, operator: string): operator is Operator {
  return (filter.operators as readonly string[]).includes(operator)
}

function readValues(parameter: string, filter: Filter, operator: Operator, text: string, today: string): FieldValue[] {
  if (operator === 'null') return [readFlag(parameter, text)]
  requireText(parameter, text)
  if (operator === 'contains') return [fold(text.trim())]
  if (filter.field.kind === 'words') return readWord(parameter, filter.field, text.trim(), today)
  const pieces = text.split(',')
  if (filter.field.kind === 'missing') return pieces.map((piece) => readName(parameter, filter.field, piece.trim()))
  if (operator !== 'in') return [readOne(parameter, filter, text, today)]
  if (pieces.length > maxValues) {
    throw invalidRequest(`${parameter} has ${pieces.length} values; at most ${maxValues} are allowed.`)
  }
  return pieces.map((piece) => readOne(parameter, filter, piece, today))
}

/** Rejects text that cannot occur in stored values. */
function requireText(parameter: string, text: string): void {
  const value = readValue(anyText, text)
  if (isFieldError(value)) throw invalidRequest(`${parameter} must be text without U+0000.`)
  if (value === '') throw invalidRequest(`${parameter} is empty; give it a value, or leave it out.`)
}

/** A word filter's operands: the word, today, and the last day of the period (contract §9). */
function readWord(parameter: string, { words, days }: WordFilter, text: string, today: string): FieldValue[] {
  if (Object.hasOwn(words, text)) return [text, today, today]
  const last = days && /^\d/.test(text) ? readRelativeDay(text, today) : null
  if (last !== null) return ['days', today, last]
  throw invalidRequest(
    `${parameter} does not take ${quote(text)}; ${allowedList([...Object.keys(words), ...(days ? ['a number of days such as 60d'] : [])])}`,
  )
}

function readName(parameter: string, field: ListField, text: string): string {
  const names = field.kind === 'missing' ? field.of : []
  if (names.includes(text)) return text
  throw invalidRequest(`${parameter} does not take ${quote(text)}; ${allowedList(names)}`)
}

function readOne(parameter: string, { name, field }: Filter, text: string, today: string): FieldValue {
  if (text.trim() === '') {
    throw invalidRequest(`${parameter} has an empty value; to find records without a value, use ${name}[null]=true.`)
  }
  if (field.kind === 'words' || field.kind === 'missing')
    throw new Error('the operands of this filter are not field values')
  const isTime = field.kind === 'timestamp' || field.kind === 'since'
  const day = isTime || field.kind === 'date' ? readRelativeDay(text, today) : null
  if (day !== null) return isTime ? `${day}T00:00:00.000Z` : day
  const value = isTime ? readTimestamp(text) : readValue(comparable(field), text)
  if (!isFieldError(value)) return value
  throw invalidRequest(`${parameter} does not take ${quote(text)}: ${value.message}`)
}

const anyText = { kind: 'text', max: Infinity } as const

/** A field whose filter operands are values of the field. */
type ComparableField = Exclude<Filter['field'], { kind: 'timestamp' | 'since' | 'words' | 'missing' }>

/** An operand must have the field's type but may exceed its length or range limits. */
function comparable(field: ComparableField): WritableField {
  if (field.kind === 'text') return anyText
  return field.kind === 'id' || field.kind === 'integer' ? { kind: 'integer' } : field
}

/** The names before the brackets of operators. */
function namesOfParameters({ filters }: ListOptions): string[] {
  return [...controls, 'format', 'fields', 'delimiter', ...filters.map(({ name }) => name)]
}

function allowedParameters({ filters }: ListOptions): string {
  const names = filters.map(({ name, operators }) =>
    operators.includes('eq') ? name : parameterName(name, operators[0]!),
  )
  return `${allowedList([...controls, 'format', ...names])} Most fields also take [ne], [in], [null] and comparisons such as [gte].`
}

/** Returns an error with the known name that was probably meant, if one is close, and with the allowed names. */
export function noSuchParameter(parameter: string, known: readonly string[], allowed = allowedList(known)): Problem {
  const suggestion = suggestName(parameter.replace(/\[.*$/, ''), known)
  return invalidRequest(`There is no parameter ${quote(parameter)}${suggestion}; ${allowed}`)
}

export function allowedList(words: readonly string[]): string {
  return words.length === 0 ? 'this endpoint takes none.' : `allowed: ${words.join(', ')}.`
}

/** Quotes and shortens the caller's input for an error message. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text))
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text
}
