// Returns the error messages for a refused form, by field.

import { externalIdField, type Field } from '../../../../domain/declarations/resource.ts'
import { cleanText } from '../../../../lib/text.ts'
import { fieldMessage } from '../../../components/forms/record-inputs.ts'
import { titleOf } from '../../../components/record-fields.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import { recordUrl } from '../../../urls.ts'
import type { RefusedMutation } from '../mutations.ts'
import { findRecord, readList } from '../queries.ts'
import { type Draft, readForm } from './draft.ts'

/** The outcome of a form that was refused before its values were checked. */
export const noOutcome: RefusedMutation = { code: 'validation_failed', errors: {} }

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
    return [name, fieldMessage(texts, resource.fields[name], code, request.form.getAll(name).at(-1))] as const
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

/** Finds the record that already has this value in a unique field. */
async function ownerOf(request: RecordRequest, name: string) {
  const { resource, texts } = request
  const value = cleanText(readForm(request)[name] ?? '')
  if (value === '') return undefined
  const owner =
    name === externalIdField
      ? (await findRecord(request, resource, { column: name, value }))?.record
      : (await readList(request, resource, { [name]: value, limit: '1' })).records[0]
  if (!owner || String(owner.id) === request.query.get('id')) return undefined
  const message = texts.recordPages.errors.usedBy(titleOf(owner, resource.title, texts))
  return { name, message, url: recordUrl(request, resource.name, owner.id) }
}
