// Reads a single field's value (§2, contract §6 and §7).

import { cleanText, trimInvisible } from '../../lib/text.ts'
import { emptyValue, type WritableField } from '../declarations/resource.ts'
import { type TextFormatName, textFormats } from './text-formats.ts'

export type FieldValue = string | number | boolean | null

/** The error codes for fields: the codes in §7, and the codes that the contract adds. */
export const fieldCodes = {
  required: 'A required field is empty.',
  invalid_email: 'Not an email address.',
  invalid_int: 'Not an integer, or outside the range of the field.',
  invalid_date: 'Not a date in the form YYYY-MM-DD.',
  invalid_bool: 'Not a boolean (true/false or 1/0).',
  invalid_text:
    'Not text; contains U+0000 or an unpaired surrogate; or does not have the format that the field requires.',
  too_long: 'More characters than the field allows.',
  too_short: 'Fewer characters than the field requires.',
  not_in_list: 'Not one of the allowed values.',
  duplicate: 'Another record already has this value.',
  unknown_field: 'Not a field of the resource. Reported only with `Prefer: handling=strict`, for at most 100 fields.',
} as const

type FieldCode = keyof typeof fieldCodes

/** An error in a field, in the form used in `errors`. */
export type FieldError = { code: FieldCode; message: string }

/** Reads a field's value from a body. An empty value becomes the default value or null, or an error if the field is
 *  required. */
export function readField(field: WritableField, input: unknown): FieldValue | FieldError {
  if (isEmpty(input)) return field.required ? fieldError('required', 'This field is required.') : emptyValue(field)
  return readValue(field, input)
}

/** Parses a non-empty value according to the field's kind (contract §7). */
export function readValue(field: WritableField, input: unknown): FieldValue | FieldError {
  switch (field.kind) {
    case 'text':
      return readText(field, input)
    case 'email':
      return readEmail(field, input)
    case 'integer':
      return readInteger(input, field.min, field.max)
    case 'reference':
      return readInteger(input)
    case 'date':
      return readDate(input)
    case 'boolean':
      return readBoolean(input)
    case 'choice':
      return readChoice(field, input)
  }
}

/** Whether the input has no value: `null`, `""` or only whitespace and invisible marks (contract §6, §17). */
export function isEmpty(input: unknown): boolean {
  return input === null || (typeof input === 'string' && trimInvisible(input) === '')
}

function readText(field: { min?: number; max: number; format?: TextFormatName }, input: unknown): string | FieldError {
  if (typeof input !== 'string' || input.includes('\0') || !input.isWellFormed()) {
    return fieldError('invalid_text', 'Must be text without U+0000 or unpaired surrogates.')
  }
  const text = cleanText(input)
  const format = field.format && textFormats[field.format]
  const wrongLength = lengthError(text, field.min ?? 0, field.max)
  if (wrongLength) return wrongLength
  return format && !format.matches(text) ? fieldError(format.code, format.message) : text
}

/** The WHATWG definition of a valid email address, which browsers use for `<input type=email>`. */
export const emailPattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** Checks the length first, so that the pattern never runs on more than `max` characters. */
function readEmail(field: { max: number }, input: unknown): FieldValue | FieldError {
  if (typeof input !== 'string') return fieldError('invalid_email', 'Must be an email address.')
  const text = cleanText(input)
  return (
    lengthError(text, 0, field.max) ?? (emailPattern.test(text) ? text : fieldError('invalid_email', emailAdvice(text)))
  )
}

/** Most addresses with other letters have them in the domain, which also has an ASCII form (RFC 5891). */
function emailAdvice(text: string): string {
  const other = /[^\p{ASCII}]/u.exec(text)?.[0]
  if (other === undefined) return 'Must be an email address.'
  const at = text.lastIndexOf('@')
  const url = `http://${text.slice(at + 1)}`
  const inAscii = `${text.slice(0, at)}@${URL.canParse(url) ? new URL(url).host : ''}`
  if (at > 0 && emailPattern.test(inAscii)) return `Must be an email address in ASCII: write it as ${inAscii}.`
  return `Must be an email address in ASCII: it contains ${JSON.stringify(other)}.`
}

function lengthError(text: string, min: number, max: number): FieldError | undefined {
  const length = codePoints(text)
  if (length > max) return fieldError('too_long', `At most ${max} characters.`)
  if (length < min) return fieldError('too_short', `At least ${min} characters.`)
  return undefined
}

/** The length in code points: an emoji of two UTF-16 code units counts as one. */
function codePoints(text: string): number {
  let count = text.length
  for (let index = 0; index < text.length - 1; index++) if (text.codePointAt(index)! > 0xffff) count--
  return count
}

/** Reads a JSON integer, or a string of digits with an optional minus sign. The value must be within ±(2^53−1) and the
 *  field's bounds. */
function readInteger(input: unknown, min = -Infinity, max = Infinity): FieldValue | FieldError {
  const isNumeral = typeof input === 'number' || (typeof input === 'string' && /^-?\d+$/.test(input))
  const value = isNumeral ? Number(input) + 0 : Number.NaN // + 0: minus zero becomes zero
  if (!Number.isSafeInteger(value)) return fieldError('invalid_int', 'Must be an integer.')
  if (value < min) return fieldError('invalid_int', `Must be an integer of at least ${min}.`)
  if (value > max) return fieldError('invalid_int', `Must be an integer of at most ${max}.`)
  return value
}

function readDate(input: unknown): FieldValue | FieldError {
  return typeof input === 'string' && isDay(input)
    ? input
    : fieldError('invalid_date', 'Must be a date in the form YYYY-MM-DD.')
}

/** Whether the text is an existing date in the form `YYYY-MM-DD`. For 2026-02-30, which does not exist, this is false,
 *  and for the year 0000, which no calendar in use has. */
export function isDay(text: string): boolean {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return false
  return new Date(`${text}T00:00:00Z`).getUTCDate() === Number(text.slice(-2))
}

const booleans = new Map<unknown, boolean>([
  ...([true, 1, 'true', '1'] as const).map((input) => [input, true] as const),
  ...([false, 0, 'false', '0'] as const).map((input) => [input, false] as const),
])

function readBoolean(input: unknown): FieldValue | FieldError {
  return booleans.get(input) ?? fieldError('invalid_bool', 'Must be true or false (also 1 or 0).')
}

function readChoice(field: { of: readonly string[] }, input: unknown): FieldValue | FieldError {
  return typeof input === 'string' && field.of.includes(input)
    ? input
    : fieldError('not_in_list', `Must be one of ${field.of.join(', ')}.`)
}

export function fieldError(code: FieldCode, message: string): FieldError {
  return { code, message }
}

export function isFieldError(result: FieldValue | FieldError | undefined): result is FieldError {
  return typeof result === 'object' && result !== null
}
