// The forms that add and edit a record.

import { byId, stockFieldOf } from '../../../../domain/declarations/resource.ts'
import { validateChanges, validateNew } from '../../../../domain/fields/validate.ts'
import { titleOf } from '../../../components/record-fields.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import { continued, type PageResponse, redirectTo } from '../../../responses.ts'
import { recordUrl } from '../../../urls.ts'
import { asksForMore } from '../../desk/equipment.ts'
import {
  asksWhere,
  branchNeeded,
  isPutInStock,
  readWhere,
  valuesThere,
  type WhereAnswer,
  whereChoosers,
} from '../../desk/where.ts'
import { type ChooserField, withChosenRecords } from '../../search/choices.ts'
import { showDeletedRecord } from '../deleted.ts'
import { fieldToEdit } from '../detail/field-form.ts'
import { showRecord } from '../detail/page.ts'
import { type Saved, type SaveOutcome, submitMutation, toInvalidOutcome } from '../mutations.ts'
import { findRecord, readRecord } from '../queries.ts'
import { addAnotherName, anotherParams } from './another.ts'
import { showConflict } from './conflict.ts'
import {
  choiceName,
  type Draft,
  draftOf,
  keepLineBreaks,
  newDraft,
  readForm,
  submittedDraft,
  theirs,
  typedValues,
} from './draft.ts'
import { fieldErrors, noOutcome } from './errors.ts'
import { joinerErrors, leaverOf, saveJoiner } from './joiner.ts'
import { keepLastAsset } from './last-asset.ts'
import { formPage, reconsiderName } from './render.ts'
import { askAboutSharedEmail } from './shared-email.ts'
import { asksForWarranty, draftWithWarranty } from './warranty.ts'

export async function showNewForm(request: RecordRequest): Promise<PageResponse> {
  return (await branchNeeded(request)) ?? formPage(request, null, newDraft(request))
}

export async function showEditForm(request: RecordRequest, id: number): Promise<PageResponse> {
  return editPage(request, id, draftOf(await readRecord(request, id)))
}

/** Shows the form for the whole record, or the record's page with the form for one field. */
function editPage(request: RecordRequest, id: number | null, draft: Draft): Promise<PageResponse> {
  const name = fieldToEdit(request)
  return id === null || name === undefined ? formPage(request, id, draft) : showRecord(request, id, { name, draft })
}

/** Creates or updates a record, or handles one of the form's other buttons. If values are invalid, shows the form
 *  again with the submitted values and an error message for each invalid field. */
export async function saveRecord(submittedRequest: RecordRequest, id: number | null): Promise<PageResponse> {
  const { invalid, sentBefore } = submittedRequest.texts.records
  if (submittedRequest.form.has('find') || asksForMore(submittedRequest.form))
    return continued(await editPage(submittedRequest, id, submittedDraft(submittedRequest)))
  if (asksForWarranty(submittedRequest.form))
    return continued(await editPage(submittedRequest, id, draftWithWarranty(submittedRequest)))
  const { request, errors: chooserErrors } = await withChosenRecords(submittedRequest, choosersOf(submittedRequest))
  const where = await readPlace(request, id)
  const choiceErrors = { ...where.errors, ...chooserErrors }
  const isReconsidered = request.form.has(reconsiderName) && id !== null
  const question = isReconsidered ? undefined : await askAboutSharedEmail(request, id)
  if (question || Object.keys(choiceErrors).length > 0) {
    const [{ errors, links }, equipment] = await Promise.all([otherErrors(request, id), joinerErrors(request, id)])
    const draft = { ...submittedDraft(request), ...question, summary: invalid, status: 422 }
    const allErrors = { ...errors, ...equipment, ...question?.errors, ...choiceErrors }
    return editPage(request, id, { ...draft, errors: allErrors, links: { ...links, ...question?.links } })
  }
  if (isReconsidered) return continued(await showMerged(request, id))
  const joined = await saveJoiner(request, id)
  if (joined) return joined
  const leaver = await leaverOf(request, id)
  if (leaver?.rest === null) return leaver.next
  const outcome = await save(leaver?.rest ?? request, id, where.values)
  if ('record' in outcome) return leaver?.next ?? afterSaving(request, id, outcome)
  if (id !== null && outcome.code === 'not_found') return showDeletedRecord(request, id)
  if (id !== null && outcome.code === 'precondition_failed') return showConflict(request, id, where.values)
  const summary = outcome.code === 'idempotency_key_reused' ? sentBefore : invalid
  const errors = await fieldErrors(request, outcome)
  return editPage(request, id, { ...submittedDraft(request), ...errors, summary, status: 422 })
}

function choosersOf({ resource, form }: RecordRequest): ChooserField[] {
  return Object.entries(resource.fields).flatMap(([name, field]) => {
    if (asksWhere(resource, name)) return whereChoosers(form)
    return field.kind === 'reference' ? [{ name, resource: field.to }] : []
  })
}

/** Reads where the asset is. Returns no values for records of other resources, and if the user has chosen the stored
 *  holder on the conflict page. */
async function readPlace(request: RecordRequest, id: number | null): Promise<Omit<WhereAnswer, 'isMoved'>> {
  const { resource, form } = request
  const { name } = stockFieldOf(resource) ?? {}
  if (name === undefined || form.get(choiceName(name)) === theirs) return { values: {}, errors: {} }
  const stored = id === null ? undefined : (await findRecord(request, resource, id))?.record
  const { values, isMoved, errors } = await readWhere(request, stored)
  const { status } = readForm(request)
  return { values: { ...values, ...(isMoved && status !== undefined && valuesThere(request, status)) }, errors }
}

/** Returns the errors of the fields in which no record is chosen. */
async function otherErrors(request: RecordRequest, id: number | null): Promise<Pick<Draft, 'errors' | 'links'>> {
  const { resource } = request
  try {
    const validate = id === null ? validateNew : validateChanges
    validate(resource, typedValues(request))
    return await fieldErrors(request, noOutcome)
  } catch (error) {
    const { errors = {}, links } = await fieldErrors(request, toInvalidOutcome(error))
    const isChoice = (name: string) => resource.fields[name]?.kind === 'reference'
    return { errors: Object.fromEntries(Object.entries(errors).filter(([name]) => !isChoice(name))), links }
  }
}

async function save(
  request: RecordRequest,
  id: number | null,
  placeValues: Record<string, string>,
): Promise<SaveOutcome> {
  const { resource, form: formValues } = request
  const common = { resource: resource.name, stockCreation: 'separate' } as const
  try {
    const values = { ...typedValues(request), ...placeValues }
    if (id === null) {
      const creation = { action: 'create', location: '', ...validateNew(resource, values) } as const
      return await submitMutation(request, { ...common, ...creation })
    }
    const target = { key: byId(id), ifMatch: formValues.get('etag') }
    const stored = await findRecord(request, resource, id)
    const changes = validateChanges(resource, stored ? keepLineBreaks(resource, stored.record, values) : values)
    return await submitMutation(request, { action: 'update', ...common, ...target, ...changes })
  } catch (error) {
    return toInvalidOutcome(error)
  }
}

/** Redirects to the record, or to the form for another record, in which the shared fields are filled in. */
function afterSaving(request: RecordRequest, id: number | null, { record, changeSet }: Saved): PageResponse {
  const { form, baseParams, resource, texts } = request
  const title = titleOf(record, resource.title, texts)
  const { created } = texts.recordPages.toasts
  if (id === null) keepLastAsset(request, record, isPutInStock(form))
  const toast = { text: id === null ? created(title) : texts.notices.saved, ...(changeSet !== null && { changeSet }) }
  if (id !== null || !form.has(addAnotherName))
    return redirectTo('records.php', { ...baseParams, id: record.id }, toast)
  const link = { to: recordUrl(request, resource.name, record.id), label: texts.recordPages.open }
  return redirectTo('records.php', anotherParams(request, record), { ...toast, link })
}

/** Shows the form again. For each field, the form contains the version chosen on the conflict page. */
async function showMerged(request: RecordRequest, id: number): Promise<PageResponse> {
  const { record } = await readRecord(request, id)
  const draft = submittedDraft(request)
  return editPage(request, id, { ...draft, values: { ...record, ...draft.values } })
}
