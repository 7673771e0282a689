// Reads the filters of a list's query string, and the times and days that query strings contain.

import { cleanText, readUuid } from '../../../lib/text.ts'
import { invalidRequest } from '../../../problem.ts'
import type { WordFilter, WritableField } from '../../declarations/resource.ts'
import { type FieldError, type FieldValue, isDay, isFieldError, readValue } from '../../fields/field-values.ts'
import { allowedList, noSuchParameter, quote } from '../../fields/unknown-names.ts'
import { fold } from '../../search/fold.ts'
import type { Condition } from '../query.ts'
import { type Filter, type ListOptions, type Operator, parameterName } from './options.ts'

/** The parameters of lists other than filters. */
export const controls: readonly string[] = ['limit', 'cursor', 'sort', 'q', 'total', 'include', 'as_of']

/** The maximum number of values in an `[in]` filter, and of words in `q`. Queries within these limits are cheap, and
 *  nobody needs more in practice. */
export const [maxValues, maxWords] = [200, 20]

/** Parses the parameters that are filters. `today`: the day from which relative days are counted. Throws
 *  `invalid_request`. */
export function readConditions(
  filters: [name: string, text: string | undefined][],
  options: ListOptions,
  today: string,
): Condition[] {
  return filters.map(([name, text]) => readCondition(name, text!, options, today))
}

/** Parses a parameter of the form `name` or `name[operator]`. */
function readCondition(parameter: string, text: string, options: ListOptions, today: string): Condition {
  const [, name = '', , operator = 'eq'] = /^([^[\]]*)(\[([^[\]]*)\])?$/.exec(parameter) ?? []
  const filter = options.filters.find((candidate) => candidate.name === name)
  if (!filter) {
    const names = [...controls, 'format', 'fields', 'delimiter', ...options.filters.map((each) => each.name)]
    throw noSuchParameter(parameter, names, allowedParameters(options))
  }
  if (!isOperatorOf(filter, operator) || parameter === `${name}[eq]`) {
    const parameterNames = filter.operators.map((allowed) => parameterName(name, allowed))
    throw invalidRequest(`There is no parameter ${quote(parameter)}; ${allowedList(parameterNames)}`)
  }
  return { filter: name, operator, values: readOperands({ parameter, filter, today }, operator, text) }
}

export function isOperatorOf(filter: Filter, operator: string): operator is Operator {
  return filter.operators.some((allowed) => allowed === operator)
}

type FilterParameter = { parameter: string; filter: Filter; today: string }

function readOperands(from: FilterParameter, operator: Operator, text: string): FieldValue[] {
  const { parameter, filter, today } = from
  if (operator === 'null') return [readFlag(parameter, text)]
  requireText(parameter, text)
  if (operator === 'contains') return [fold(cleanText(text))]
  const { field } = filter
  if (field.kind === 'words') return readWord(parameter, field, text.trim(), today)
  const pieces = text.split(',')
  if (field.kind === 'missing') return pieces.map((piece) => readName(parameter, field.of, piece.trim()))
  if (operator !== 'in') return [readOne(from, text)]
  if (pieces.length > maxValues) {
    throw invalidRequest(`${parameter} has ${pieces.length} values; at most ${maxValues} are allowed.`)
  }
  return pieces.map((piece) => readOne(from, piece))
}

/** Rejects text that cannot occur in stored values. */
export function requireText(parameter: string, text: string): void {
  const value = readValue(anyText, text)
  if (isFieldError(value)) throw invalidRequest(`${parameter} must be text without U+0000, in UTF-8.`)
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

function readName(parameter: string, names: readonly string[], text: string): string {
  if (names.includes(text)) return text
  throw invalidRequest(`${parameter} does not take ${quote(text)}; ${allowedList(names)}`)
}

function readOne({ parameter, filter, today }: FilterParameter, text: string): FieldValue {
  const { name, field } = filter
  if (text.trim() === '') {
    throw invalidRequest(`${parameter} has an empty value; to find records without a value, use ${name}[null]=true.`)
  }
  if (field.kind === 'creation') return readChangeSet(parameter, text)
  if (field.kind === 'words' || field.kind === 'missing')
    throw new Error('the operands of this filter are not field values')
  const isTime = field.kind === 'timestamp' || field.kind === 'since'
  const day = isTime || field.kind === 'date' ? readRelativeDay(text, today) : null
  if (day !== null) return isTime ? `${day}T00:00:00.000Z` : day
  const value = isTime ? readTimestamp(text) : readValue(comparable(field), text)
  if (!isFieldError(value)) return value
  throw invalidRequest(`${parameter} does not take ${quote(text)}: ${value.message}`)
}

function readChangeSet(parameter: string, text: string): string {
  const uuid = readUuid(text)
  if (uuid !== undefined) return uuid
  throw invalidRequest(`${parameter} must be a UUID, as in the Change-Set header, not ${quote(text)}.`)
}

const anyText = { kind: 'text', max: Infinity } as const

/** A field whose filter operands are values of the field. */
type ComparableField = Exclude<Filter['field'], { kind: 'timestamp' | 'since' | 'words' | 'missing' | 'creation' }>

/** An operand must have the field's type but may exceed its length or range limits. */
function comparable(field: ComparableField): WritableField {
  if (field.kind === 'text') return anyText
  return field.kind === 'id' || field.kind === 'integer' ? { kind: 'integer' } : field
}

function allowedParameters({ filters }: ListOptions): string {
  const names = filters.map(({ name, operators }) =>
    operators.includes('eq') ? name : parameterName(name, operators[0]!),
  )
  return `${allowedList([...controls, 'format', ...names])} Most fields also take [ne], [in], [null] and comparisons such as [gte].`
}

/** Parses `true` or `false`. Throws `invalid_request`. */
export function readFlag(name: string, text: string): boolean {
  const value = readValue({ kind: 'boolean' }, text)
  if (isFieldError(value)) throw invalidRequest(`${name} must be true or false, not ${quote(text)}.`)
  return value === true
}

const pattern = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(\.\d{1,9})?(Z|[+ -]\d{2}:\d{2}))?$/i

/** The range of four-digit years: longer or negative years would not sort correctly as text. */
const [earliest, latest] = [Date.parse('0001-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** Accepts an RFC 3339 date and time, or a date, which means midnight UTC. Returns the form `2026-01-31T09:30:00.000Z`.
 *  Accepts a space in place of an offset's plus sign, because a plus sign that was not percent-encoded arrives as a
 *  space. */
export function readTimestamp(text: string): string | FieldError {
  const [, day = '', time = '00:00:00', fraction = '', offset = 'Z'] = pattern.exec(text) ?? []
  const moment = Date.parse(`${day}T${time}${fraction.slice(0, 4)}${offset.replace(' ', '+').toUpperCase()}`)
  if (isDay(day) && moment >= earliest && moment <= latest) return new Date(moment).toISOString()
  return {
    code: 'invalid_date',
    message: 'Must be a time such as 2026-01-31T09:30:00Z, or a date in the form YYYY-MM-DD.',
  }
}

/** Parses a relative day: `today`, `30d` (in 30 days), `-14d` (14 days ago). Null for other text. */
function readRelativeDay(text: string, today: string): string | null {
  const [, days] = /^(-?\d{1,4})d$/.exec(text.trim()) ?? []
  if (text.trim() === 'today') return today
  return days === undefined ? null : daysAfter(today, Number(days))
}

/** Returns the day in UTC as `YYYY-MM-DD`. */
export function utcDayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

export function daysAfter(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return utcDayOf(date)
}
