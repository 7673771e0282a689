// The tag that the form of a new asset begins with.

import { suggestTags } from '../../desk/run.ts'
import type { RecordRequest } from '../request.ts'
import type { Draft } from './draft.ts'

/** The name of the hidden field with the suggestion: what a user has typed instead stays as it is. */
export const suggestedTagName = 'suggested_tag'

/** Fills in the next free tag. If someone else has taken the suggested one meanwhile, the form offers the next. */
export async function suggestTag(request: RecordRequest, id: number | null, draft: Draft): Promise<Draft> {
  if (id !== null || request.resource.name !== 'hardware') return draft
  const { values, errors, sent } = draft
  const typed = String(values.asset_tag ?? '')
  const former = sent?.get(suggestedTagName) ?? ''
  const isTaken = errors?.asset_tag !== undefined && typed !== '' && typed === former
  if (sent && !isTaken) return { ...draft, suggestedTag: former }
  if (!sent && typed !== '') return draft
  const [next = ''] = await suggestTags(request, 1)
  const taken = isTaken ? { errors: { ...errors, asset_tag: request.texts.verbs.tagTaken(typed) } } : {}
  return { ...draft, ...taken, values: { ...values, asset_tag: next }, suggestedTag: next }
}
