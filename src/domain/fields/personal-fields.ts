// Replaces the values of fields that a declaration marks as personal.

import type { Value } from '../../engine/database/database.ts'
import { cleanText, storedForms } from '../../lib/text.ts'
import { deriveOnce, emptyValue, type Field, isName, type Resource } from '../declarations/resource.ts'
import type { Values } from './validate.ts'

/** Replaces personal text in fields that are not unique. */
export const erasedText = '[erased]'

/** Replaces the email address of an erased record (RFC 2606: no mail is delivered to the domain `invalid`). */
export function erasedEmail(id: number | string): string {
  return `erased-${id}@erased.invalid`
}

export const personalFields = deriveOnce(({ fields }: Resource) =>
  Object.keys(fields).filter((name) => fields[name]!.isPersonal),
)

/** Returns the values without personal data. A marker replaces email addresses and text that is not unique, so that
 *  required fields stay valid. Unique text and other personal values become empty. */
export function eraseValues(resource: Resource, id: number, values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const field = resource.fields[name]
      return [name, field?.isPersonal ? erasedValue(field, id, value) : value]
    }),
  )
}

function erasedValue(field: Field, id: number, value: Value): Value {
  if (value === null) return null
  if (field.kind === 'email') return erasedEmail(id)
  return field.kind === 'text' && !field.unique ? erasedText : emptyValue(field)
}

/** Returns the personal values that identify a record in imports, such as its email address, in lower case and in each form
 *  in which they may be stored. */
export function identifyingValues(resource: Resource, values: Values): string[] {
  const names = (resource.lookups ?? []).filter((name) => resource.fields[name]!.isPersonal)
  return formsOf(names, values)
}

/** Returns the names of a person, in lower case and in each form in which they may be stored. */
export function personalNames(resource: Resource, values: Values): string[] {
  const names = personalFields(resource).filter((name) => isName(resource.fields[name]))
  return formsOf(names, values)
}

function formsOf(names: readonly string[], values: Values): string[] {
  const texts = names.map((name) => values[name] ?? null)
  return texts.flatMap((text) => (text === null ? [] : storedForms(cleanText(String(text)).toLowerCase())))
}
