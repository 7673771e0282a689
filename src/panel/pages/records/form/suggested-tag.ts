// Suggests a tag in the form for a new asset.

import { suggestTags } from '../../desk/new-assets.ts'
import type { RecordRequest } from '../request.ts'
import type { Draft } from './draft.ts'

/** The name of the hidden field with the suggested tag. If the submitted tag differs, the user has changed it. */
export const suggestedTagName = 'suggested_tag'

/** Fills in the next free tag. If someone else has since taken the suggested tag, suggests the next free tag and says
 *  so. */
export async function suggestTag(request: RecordRequest, id: number | null, draft: Draft): Promise<Draft> {
  if (id !== null || request.resource.name !== 'hardware') return draft
  const { values, errors, formValues } = draft
  const typed = String(values.asset_tag ?? '')
  const formerSuggestion = formValues?.get(suggestedTagName) ?? ''
  const isTaken = errors?.asset_tag !== undefined && typed !== '' && typed === formerSuggestion
  if (formValues && !isTaken) return { ...draft, suggestedTag: formerSuggestion }
  if (!formValues && typed !== '') return draft
  const [nextTag = ''] = await suggestTags(request, 1)
  const takenErrors = isTaken ? { errors: { ...errors, asset_tag: request.texts.verbs.tagTaken(typed) } } : {}
  return { ...draft, ...takenErrors, values: { ...values, asset_tag: nextTag }, suggestedTag: nextTag }
}
