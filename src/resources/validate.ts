// Validates a body. Returns its values or throws one Problem that lists every invalid field (§7, contract §6, §7 and §14).

import { Problem } from '../problem.ts'
import {
  columns,
  emptyValue,
  externalReferenceOf,
  externalReferences,
  longestExternalId,
  type Resource,
  type WritableField,
  writableFields,
} from './resource.ts'
import { type Handling, unknownNames } from './unknown-names.ts'

export type FieldValue = string | number | boolean | null
export type Values = Record<string, FieldValue>

/** The field codes of §7, and those that the contract adds. */
export const fieldCodes = {
  required: 'A required field is empty.',
  invalid_email: 'Not an email address.',
  invalid_int: 'Not an integer, or outside the range of the field.',
  invalid_date: 'Not a date in the form YYYY-MM-DD.',
  invalid_bool: 'Not a boolean (true/false or 1/0).',
  invalid_text: 'Not text, or text with U+0000 or an unpaired surrogate.',
  too_long: 'More characters than the field allows.',
  too_short: 'Fewer characters than the field requires.',
  not_in_list: 'Not one of the allowed values.',
  duplicate: 'Another record already has this value.',
  unknown_field: 'Not a field of the resource. Reported only with `Prefer: handling=strict`.',
} as const

type FieldCode = keyof typeof fieldCodes

/** The error of one field, in the form used in `errors`. */
export type FieldError = { code: FieldCode; message: string }

/** The fields of a record, as a request gives them. `references`: those given by the external id of the other record; in
 *  `values` they are null until they are resolved. */
export type Given = { values: Values; references?: Record<string, string> }

/** What a body gives, or what is wrong with it, by field. */
export type Checked = Given | { errors: FieldErrors }

/** The values of a new record, one for every field, in their order. Throws `validation_failed`. */
export function validateNew(resource: Resource, body: object, handling: Handling = 'lenient'): Given {
  return requireValid(checkNew(resource, body, handling))
}

/** The values of the fields in the body; an update changes only these. Throws `no_fields` and `validation_failed`. */
export function validateChanges(resource: Resource, body: object, handling: Handling = 'lenient'): Given {
  return requireValid(checkChanges(resource, body, handling))
}

/** Like validateNew, for a body that may turn out to be changes. */
export function checkNew(resource: Resource, body: object, handling: Handling): Checked {
  const checked = check(resource, body, () => true, unknownFields(resource, body, handling))
  if ('errors' in checked) return checked
  const fields = Object.entries(resource.fields)
  const values = Object.fromEntries(fields.map(([name, field]) => [name, checked.values[name] ?? emptyValue(field)]))
  return { ...checked, values }
}

/** Like validateChanges, for a body that may turn out to be a new record. Throws `no_fields`. */
export function checkChanges(resource: Resource, body: object, handling: Handling): Checked {
  const isNamed = (name: string) => Object.hasOwn(body, name)
  const hasReference = externalReferences(resource).some(({ name }) => !isEmpty(memberOf(body, name)))
  const unknown = unknownFields(resource, body, handling)
  const hasFields = hasReference || unknown.length > 0 || writableFields(resource).some(([name]) => isNamed(name))
  if (!hasFields) throw new Problem('no_fields')
  return check(resource, body, isNamed, unknown)
}

/** Throws `validation_failed`. */
export function requireValid(checked: Checked): Given {
  if ('errors' in checked) throw validationFailed(checked.errors)
  return checked
}

/** Invalid fields, in the order in which they are reported. */
type FieldErrors = [name: string, error: FieldError][]

/** 422 with every invalid field, in the order given. */
export function validationFailed(errors: FieldErrors): Problem {
  const fields = errors.map(([name]) => name) // an object would put names that are numbers first
  return new Problem('validation_failed', { members: { errors: Object.fromEntries(errors), fields } })
}

/** `unknown`: the errors of unknown fields, which are reported after those of known ones. */
function check(resource: Resource, body: object, isChecked: (name: string) => boolean, unknown: FieldErrors): Checked {
  const values: Values = {}
  const references: Record<string, string> = {}
  const errors: FieldErrors = []
  for (const [name, field] of writableFields(resource)) {
    const external = field.kind === 'reference' ? readExternalReference(body, name) : undefined
    if (isFieldError(external)) errors.push([externalReferenceOf(name), external])
    if (typeof external === 'string') {
      values[name] = null
      references[name] = external
    }
    if (external === undefined ? !isChecked(name) : isEmpty(memberOf(body, name))) continue
    const result = readField(field, memberOf(body, name))
    if (isFieldError(result)) errors.push([name, result])
    else values[name] = result
  }
  if (errors.length + unknown.length > 0) return { errors: [...errors, ...unknown] }
  return Object.keys(references).length > 0 ? { values, references } : { values }
}

/** The external id that gives a reference, or its error: `not_in_list` if the body also has the id (contract §14). Undefined if
 *  it is absent. */
function readExternalReference(body: object, reference: string): string | FieldError | undefined {
  const name = externalReferenceOf(reference)
  const given = memberOf(body, name)
  if (isEmpty(given)) return undefined
  const result = readText({ min: 1, max: longestExternalId }, given)
  if (isFieldError(result) || isEmpty(memberOf(body, reference))) return result
  return wrong('not_in_list', `Give either ${reference} or ${name}, not both.`)
}

function memberOf(body: object, name: string): unknown {
  return Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : null
}

/** The unknown fields of a body, in its order; none if they are ignored. Read-only fields are known (contract §14). */
function unknownFields(resource: Resource, body: object, handling: Handling): FieldErrors {
  if (handling === 'lenient') return []
  const known = [...columns(resource), ...externalReferences(resource).map(({ name }) => name)]
  return unknownNames(body, known).map(({ name, nearest }) => [
    name,
    wrong('unknown_field', `The ${resource.singular} has no such field; the nearest name is ${nearest}.`),
  ])
}

function readField(field: WritableField, given: unknown): FieldValue | FieldError {
  if (isEmpty(given)) return field.required ? wrong('required', 'This field is required.') : emptyValue(field)
  return readValue(field, given)
}

/** Parses a non-empty value according to the kind of the field (contract §7). */
export function readValue(field: WritableField, given: unknown): FieldValue | FieldError {
  switch (field.kind) {
    case 'text':
      return readText(field, given)
    case 'email':
      return readEmail(field, given)
    case 'integer':
      return readInteger(given, field.min, field.max)
    case 'reference':
      return readInteger(given)
    case 'date':
      return readDate(given)
    case 'boolean':
      return readBoolean(given)
    case 'choice':
      return readChoice(field, given)
  }
}

/** `null`, `""` and whitespace count as no value (contract §6). */
function isEmpty(given: unknown): boolean {
  return given === null || (typeof given === 'string' && given.trim() === '')
}

function readText(field: { min?: number; max: number }, given: unknown): string | FieldError {
  if (typeof given !== 'string' || given.includes('\0') || !given.isWellFormed()) {
    return wrong('invalid_text', 'Must be text without U+0000 and unpaired surrogates.')
  }
  const text = given.trim()
  return lengthError(text, field.min ?? 0, field.max) ?? text
}

/** The WHATWG definition of a valid email address: what a browser's `<input type=email>` accepts. */
export const emailPattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** Checks the length first, so that the pattern never runs on more than `max` characters. */
function readEmail(field: { max: number }, given: unknown): FieldValue | FieldError {
  if (typeof given !== 'string') return wrong('invalid_email', 'Must be an email address.')
  const text = given.trim()
  return (
    lengthError(text, 0, field.max) ??
    (emailPattern.test(text) ? text : wrong('invalid_email', 'Must be an email address.'))
  )
}

function lengthError(text: string, min: number, max: number): FieldError | undefined {
  const length = codePoints(text)
  if (length > max) return wrong('too_long', `At most ${max} characters.`)
  if (length < min) return wrong('too_short', `At least ${min} characters.`)
  return undefined
}

/** The length in code points: an emoji of two UTF-16 code units counts once. */
function codePoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) if (text.codePointAt(at)! > 0xffff) count--
  return count
}

/** A JSON integer or a string of digits with an optional minus, within ±(2^53−1) and the field's own bounds. */
function readInteger(given: unknown, min = -Infinity, max = Infinity): FieldValue | FieldError {
  const isNumeral = typeof given === 'number' || (typeof given === 'string' && /^-?\d+$/.test(given))
  const value = isNumeral ? Number(given) + 0 : Number.NaN // + 0: minus zero becomes zero
  if (!Number.isSafeInteger(value)) return wrong('invalid_int', 'Must be an integer.')
  if (value < min) return wrong('invalid_int', `Must be an integer of at least ${min}.`)
  if (value > max) return wrong('invalid_int', `Must be an integer of at most ${max}.`)
  return value
}

function readDate(given: unknown): FieldValue | FieldError {
  return typeof given === 'string' && isDay(given)
    ? given
    : wrong('invalid_date', 'Must be a date in the form YYYY-MM-DD.')
}

/** Whether the text is an existing date in the form `YYYY-MM-DD`: 2026-02-30 is not. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const booleans = new Map<unknown, boolean>([
  ...([true, 1, 'true', '1'] as const).map((form) => [form, true] as const),
  ...([false, 0, 'false', '0'] as const).map((form) => [form, false] as const),
])

function readBoolean(given: unknown): FieldValue | FieldError {
  return booleans.get(given) ?? wrong('invalid_bool', 'Must be true or false (also 1 or 0).')
}

function readChoice(field: { of: readonly string[] }, given: unknown): FieldValue | FieldError {
  return typeof given === 'string' && field.of.includes(given)
    ? given
    : wrong('not_in_list', `Must be one of ${field.of.join(', ')}.`)
}

function wrong(code: FieldCode, message: string): FieldError {
  return { code, message }
}

export function isFieldError(result: FieldValue | FieldError | undefined): result is FieldError {
  return typeof result === 'object' && result !== null
}
