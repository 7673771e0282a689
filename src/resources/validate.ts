// Validates a body. Returns its values or throws one Problem that lists every invalid field (§7, contract §6, §7 and §14).

import { Problem } from '../problem.ts'
import { type FieldError, type FieldValue, isEmpty, isFieldError, readField, readValue, wrong } from './field-values.ts'
import {
  columns,
  emptyValue,
  externalReferenceOf,
  externalReferences,
  longestExternalId,
  type Resource,
  writableFields,
} from './resource.ts'
import { type Handling, unknownNames } from './unknown-names.ts'

export type Values = Record<string, FieldValue>

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
export type FieldErrors = [name: string, error: FieldError][]

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
  const result = readValue({ kind: 'text', min: 1, max: longestExternalId }, given)
  if (isFieldError(result)) return result
  if (isEmpty(memberOf(body, reference))) return String(result)
  return wrong('not_in_list', `Give either ${reference} or ${name}, not both.`)
}

function memberOf(body: object, name: string): unknown {
  return Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : null
}

/** The unknown fields of a body, in its order; none if they are ignored. Read-only fields are known (contract §14). */
function unknownFields(resource: Resource, body: object, handling: Handling): FieldErrors {
  if (handling === 'lenient') return []
  const known = [...columns(resource), ...externalReferences(resource).map(({ name }) => name)]
  const { listed, unlisted } = unknownNames(body, known)
  return listed.map(({ name, nearest }, at) => {
    const message = `The ${resource.singular} has no such field; the nearest name is ${nearest}.`
    const isLastOfMany = unlisted > 0 && at === listed.length - 1
    const more = isLastOfMany ? ` ${unlisted} more unknown fields are not listed.` : ''
    return [name, wrong('unknown_field', message + more)]
  })
}
