// Finds values in each form in which they may be stored. Records written before version 1.1 contain text as it arrived,
// for example with decomposed letters; since then, text is stored in one form (contract §17).

import type { Awaitable, Value } from '../../engine/database/database.ts'
import { storedForms } from '../../lib/text.ts'
import type { RecordKey } from '../declarations/resource.ts'

/** Returns the forms in which a value may be stored, the present one first. */
export function formsOf(value: Value): Value[] {
  return typeof value === 'string' ? storedForms(value) : [value]
}

/** Finds a record by its key. `find`: finds the record with this value in the key's column. */
export function findByKey<Found>(
  { value }: RecordKey,
  find: (value: Value) => Awaitable<Found | undefined>,
): Awaitable<Found | undefined> {
  const forms = formsOf(value)
  return forms.length === 1 ? find(value) : findFirst(forms, find)
}

async function findFirst<Found>(
  forms: readonly Value[],
  find: (value: Value) => Awaitable<Found | undefined>,
): Promise<Found | undefined> {
  for (const form of forms) {
    const found = await find(form)
    if (found !== undefined) return found
  }
  return undefined
}
