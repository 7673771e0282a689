// Validates a body. Returns its values, or reports all of its invalid fields at once (§7, contract §6, §7 and §14).

import { Problem } from '../../problem.ts'
import {
  assignedFieldOf,
  byId,
  columns,
  deriveOnce,
  emptyValues,
  externalIdField,
  externalReferenceOf,
  maxExternalIdLength,
  type RecordKey,
  type Resource,
  type Stock,
  stockFieldOf,
  writableFields,
  writeOnlyMembers,
} from '../declarations/resource.ts'
import {
  type FieldError,
  type FieldValue,
  fieldError,
  isEmpty,
  isFieldError,
  readField,
  readValue,
} from './field-values.ts'
import { type Handling, unknownNames } from './unknown-names.ts'

export type Values = Record<string, FieldValue>

/** The fields of a record that a request sets. `references`: external ids of other records, by field. `stockOf`: the
 *  record into whose stock this one goes. `values` has null for these fields until they are resolved. `assignsTag`: a
 *  new record gets the next free asset tag. */
export type RecordInput = {
  values: Values
  references?: Record<string, string>
  stockOf?: RecordKey
  assignsTag?: true
}

/** The input of a valid body, or the errors of an invalid one with its valid fields, which may still be duplicates. */
export type CheckedInput = RecordInput | InvalidInput

/** `errors`: empty if the body has no field to change (`no_fields`). */
export type InvalidInput = Pick<RecordInput, 'values' | 'assignsTag'> & { errors: FieldErrors }

/** Returns a new record's values, one for each field, in declaration order. Throws `validation_failed`. */
export function validateNew(resource: Resource, body: object, handling: Handling = 'lenient'): RecordInput {
  return requireValid(checkNew(resource, body, handling))
}

/** Returns the values of the fields in the body. An update changes only these fields. Throws `no_fields` and
 *  `validation_failed`. */
export function validateChanges(resource: Resource, body: object, handling: Handling = 'lenient'): RecordInput {
  return requireValid(checkChanges(resource, body, handling))
}

/** Like validateNew, but returns the errors, because only the database knows the duplicates to report with them, and
 *  whether an upsert is an update. */
export function checkNew(resource: Resource, body: object, handling: Handling): CheckedInput {
  const assignment = readAssignment(resource, body)
  const errors: FieldErrors = isFieldError(assignment) ? [[assignedFieldOf(resource)!.member, assignment]] : []
  const unknown = [...errors, ...unknownFields(resource, body, handling)]
  const checked = check(resource, body, { values: { ...emptyValues(resource) }, isChecked: () => true, unknown })
  return assignment === true ? { ...checked, assignsTag: true } : checked
}

/** Returns whether the body asks for the next free tag, or an error. The error is `not_in_list` if the body also gives
 *  a tag. */
function readAssignment(resource: Resource, body: object): boolean | FieldError {
  const assigned = assignedFieldOf(resource)
  const input = assigned && memberOf(body, assigned.member)
  if (!assigned || isEmpty(input)) return false
  const result = readValue({ kind: 'boolean' }, input)
  if (isFieldError(result)) return result
  if (result === true && !isEmpty(memberOf(body, assigned.name))) {
    return fieldError('not_in_list', `Give either ${assigned.name} or ${assigned.member}, not both.`)
  }
  return result === true
}

/** Like validateChanges, but returns the errors; see checkNew. */
export function checkChanges(resource: Resource, body: object, handling: Handling): CheckedInput {
  const isNamed = (name: string) => Object.hasOwn(body, name)
  const { member } = assignedFieldOf(resource) ?? {}
  const hasReference = writeOnlyMembers(resource).some((name) => name !== member && !isEmpty(memberOf(body, name)))
  const unknown = unknownFields(resource, body, handling)
  const hasFields = hasReference || unknown.length > 0 || writableFields(resource).some(([name]) => isNamed(name))
  if (!hasFields) return { values: {}, errors: [] }
  return check(resource, body, { values: {}, isChecked: isNamed, unknown })
}

/** Throws `no_fields` and `validation_failed`. */
export function requireValid(checked: CheckedInput): RecordInput {
  requireFields(checked)
  if ('errors' in checked) throw validationFailed(checked.errors)
  return checked
}

/** Throws `no_fields`. */
export function requireFields(checked: CheckedInput): void {
  if ('errors' in checked && checked.errors.length === 0) throw new Problem('no_fields')
}

/** Invalid fields, in the order in which they are reported. */
export type FieldErrors = [name: string, error: FieldError][]

/** Sorts errors in declaration order (contract §7). Errors of unknown members come last, in body order. */
export function inFieldOrder(resource: Resource, errors: FieldErrors): FieldErrors {
  const order = memberOrder(resource)
  const place = (name: string) => order.get(name) ?? order.size
  return errors.toSorted(([one], [other]) => place(one) - place(other))
}

const memberOrder = deriveOnce((resource: Resource) => {
  const members = writableFields(resource).flatMap(([name, field]) =>
    field.kind === 'reference' ? [...referenceMembers(name, field.stock), name] : [name],
  )
  const distinct = new Set([...members, ...writeOnlyMembers(resource)])
  return new Map([...distinct].map((name, index) => [name, index]))
})

/** Returns the 422 error that lists every invalid field, in the given order. */
export function validationFailed(errors: FieldErrors): Problem {
  const fields = errors.map(([name]) => name) // an object would put names that are numbers first
  return new Problem('validation_failed', { members: { errors: Object.fromEntries(errors), fields } })
}

/** Adds the valid fields to `values`. `unknown`: the errors of members that are not fields, which are reported last. */
function check(
  resource: Resource,
  body: object,
  { values, isChecked, unknown }: { values: Values; isChecked: (name: string) => boolean; unknown: FieldErrors },
): CheckedInput {
  const references: Record<string, string> = {}
  let stockOf: RecordKey | undefined
  const errors: FieldErrors = []
  for (const [name, field] of writableFields(resource)) {
    const other = field.kind === 'reference' ? readOtherReference(body, name, field.stock) : undefined
    if (other) {
      errors.push(...other.errors)
      values[name] = null
      if (other.externalId !== undefined) references[name] = other.externalId
      stockOf = other.stockOf ?? stockOf
    }
    if (other ? isEmpty(memberOf(body, name)) : !isChecked(name)) continue
    const result = readField(field, memberOf(body, name))
    if (isFieldError(result)) errors.push([name, result])
    else values[name] = result
  }
  if (errors.length + unknown.length > 0) return { values, errors: [...errors, ...unknown] }
  if (stockOf) setUnlessGiven(values, body, stockFieldOf(resource)!.stock.sets)
  return { values, ...(Object.keys(references).length > 0 && { references }), ...(stockOf && { stockOf }) }
}

function setUnlessGiven(values: Values, body: object, implied: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(implied)) if (isEmpty(memberOf(body, name))) values[name] = value
}

type OtherReference = { externalId?: string; stockOf?: RecordKey; errors: FieldErrors }

/** Reads a reference that the body gives by other members than the id: by an external id, or as a stock. Returns
 *  undefined if there are none. Of several members, the first counts, and each of the others is an error,
 *  `not_in_list` (contract §14). */
function readOtherReference(body: object, name: string, stock: Stock | undefined): OtherReference | undefined {
  const isGiven = (member: string) => !isEmpty(memberOf(body, member))
  const members = referenceMembers(name, stock)
  const others = members.filter(isGiven)
  if (others.length === 0) return undefined
  const first = isGiven(name) ? name : others[0]!
  const reference: OtherReference = { errors: [] }
  for (const member of others) {
    const column = member === stock?.member ? 'id' : externalIdField
    const result = readValue(column === 'id' ? stockField : externalIdInput, memberOf(body, member))
    const isTwice = member !== first && fieldError('not_in_list', `Give either ${first} or ${member}, not both.`)
    if (isFieldError(result)) reference.errors.push([member, result])
    else if (isTwice) reference.errors.push([member, isTwice])
    else if (member === members[0]) reference.externalId = String(result)
    else reference.stockOf = column === 'id' ? byId(Number(result)) : { column, value: String(result) }
  }
  return reference
}

function referenceMembers(name: string, stock: Stock | undefined): [string, ...string[]] {
  return [externalReferenceOf(name), ...(stock ? [stock.member, externalReferenceOf(stock.member)] : [])]
}

const externalIdInput = { kind: 'text', min: 1, max: maxExternalIdLength } as const
const stockField = { kind: 'integer' } as const

function memberOf(body: object, name: string): unknown {
  return Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : null
}

/** Returns an error for each unknown field, in the order of the body. Returns no errors if the handling is lenient.
 *  Read-only fields count as known (contract §14). */
function unknownFields(resource: Resource, body: object, handling: Handling): FieldErrors {
  if (handling === 'lenient') return []
  const fieldNames = [...columns(resource), ...writeOnlyMembers(resource)]
  const { listed, unlisted } = unknownNames(body, fieldNames)
  return listed.map(({ name, suggestion }, index) => {
    const message = `The ${resource.singular} has no such field${suggestion}.`
    const isLastOfMany = unlisted > 0 && index === listed.length - 1
    const suffix = isLastOfMany ? ` ${unlisted} more unknown fields are not listed.` : ''
    return [name, fieldError('unknown_field', message + suffix)]
  })
}
