// Returns the error messages for a refused form, by field.

import type { Field } from '../../../../domain/declarations/resource.ts'
import type { FieldError } from '../../../../domain/fields/field-values.ts'
import { titleOf } from '../../../components/record-fields.ts'
import { amountMessage } from '../../../i18n/conventions.ts'
import type { Texts } from '../../../i18n/index.ts'
import { recordUrl } from '../../../urls.ts'
import type { RefusedMutation } from '../mutations.ts'
import { readList } from '../queries.ts'
import type { RecordRequest } from '../request.ts'
import { type Draft, readForm } from './draft.ts'

/** Returns the errors by field, and those of values that another record has, even if the outcome reports only other
 *  errors. If a referenced record does not exist, the outcome has a special code instead of an error for the field. */
export async function fieldErrors(
  request: RecordRequest,
  outcome: RefusedMutation,
): Promise<Pick<Draft, 'errors' | 'links'>> {
  const { texts, resource } = request
  const fields = Object.entries<Field>(resource.fields)
  const missing = fields.filter(([, field]) => field.kind === 'reference' && field.missingCode === outcome.code)
  const invalid = Object.entries(outcome.errors).map(([name, { code }]) => {
    return [name, messageOf(texts, resource.fields[name], code, request.form.getAll(name).at(-1) ?? '')] as const
  })
  const errors = Object.fromEntries([...invalid, ...missing.map(([name]) => [name, texts.records.missing] as const)])
  const isFree = (name: string) => (outcome.errors[name]?.code ?? 'duplicate') === 'duplicate'
  const taken = fields
    .filter(([name, field]) => 'unique' in field && field.unique && isFree(name))
    .map(([name]) => name)
  const owners = await Promise.all(taken.map((name) => ownerOf(request, name)))
  const duplicates = owners.flatMap((owner) => owner ?? [])
  return {
    errors: { ...errors, ...Object.fromEntries(duplicates.map(({ name, message }) => [name, message])) },
    links: Object.fromEntries(duplicates.map(({ name, url }) => [name, url])),
  }
}

function messageOf(texts: Texts, field: Field | undefined, code: FieldError['code'], typed: string): string {
  const { errors } = texts.recordPages
  if (field?.kind === 'integer' && field.isAmount) return amountMessage(texts, typed)
  if (code === 'too_long' && field && 'max' in field) return errors.tooLong(Number(field.max))
  if (code === 'too_short' && field && 'min' in field) return errors.tooShort(Number(field.min))
  return texts.errors[code]
}

/** Finds the record that already has this value in a unique field. */
async function ownerOf(request: RecordRequest, name: string) {
  const { resource, texts } = request
  const value = readForm(request)[name]?.trim() ?? ''
  if (value === '') return undefined
  const { records } = await readList(request, resource, { [`${name}[in]`]: value, limit: '1' })
  const [owner] = records
  if (!owner || owner[name] !== value || String(owner.id) === request.query.get('id')) return undefined
  const message = texts.recordPages.errors.usedBy(titleOf(owner, resource.title))
  return { name, message, url: recordUrl(request, resource.name, owner.id) }
}
