// Saves a new person and their equipment in a single change set.

import { newPerson } from '../../../../domain/equipment/operations.ts'
import { type RecordInput, validateNew } from '../../../../domain/fields/validate.ts'
import { titleOf } from '../../../components/record-fields.ts'
import type { PageResponse } from '../../../responses.ts'
import { pageUrl, recordUrl } from '../../../urls.ts'
import { equipmentErrors, readEquipment } from '../../desk/equipment.ts'
import { redirectWithToast, runDeskSteps } from '../../desk/run.ts'
import { confirmationLink } from '../../hand-over/links.ts'
import { type Outcome, toInvalidOutcome } from '../mutations.ts'
import type { RecordRequest } from '../request.ts'
import { type Draft, submittedDraft, typedValues } from './draft.ts'
import { fieldErrors } from './errors.ts'
import { addAnotherName, formPage } from './render.ts'

/** Returns undefined if the form is not for a new person, or if it contains no equipment. */
export async function saveJoiner(request: RecordRequest, id: number | null): Promise<PageResponse | undefined> {
  const { texts, resource } = request
  if (id !== null || resource.name !== 'employees') return undefined
  const equipment = readEquipment(request, newPerson)
  if (equipment.steps.length === 0 && Object.keys(equipment.errors).length === 0) return undefined
  const checked = validateForm(request)
  if (!('values' in checked) || Object.keys(equipment.errors).length > 0)
    return refuse(request, 'values' in checked ? {} : await fieldErrors(request, checked), equipment.errors)
  const { values } = checked
  const outcome = await runDeskSteps(request, [{ kind: 'create', resource: resource.name, values }, ...equipment.steps])
  if ('records' in outcome) {
    const personUrl = recordUrl(request, resource.name, outcome.records[0]!.id)
    const to = request.form.has(addAnotherName) ? pageUrl('records.php', { ...request.baseParams, new: 1 }) : personUrl
    const text = texts.verbs.joined(titleOf(values, resource.title), equipment.steps.length)
    const { changeSet } = outcome
    return redirectWithToast({ to, text, changeSet, ...confirmationLink(request, 'onboard', changeSet) })
  }
  if ('sentBefore' in outcome) return refuse(request, {}, {}, texts.records.sentBefore)
  const personFailure = outcome.failures.find(({ step }) => step === 0)
  if (personFailure) return refuse(request, await fieldErrors(request, toOutcome(personFailure)), {})
  const { errors, summary } = equipmentErrors(request, equipment, outcome.failures, 1)
  return refuse(request, {}, errors, summary)
}

type RefusedOutcome = Exclude<Outcome, { record: unknown }>

function validateForm(request: RecordRequest): RecordInput | RefusedOutcome {
  try {
    return validateNew(request.resource, typedValues(request))
  } catch (error) {
    return toInvalidOutcome(error) as RefusedOutcome
  }
}

function toOutcome({ error, errors = {} }: { error: { code: string }; errors?: object }): RefusedOutcome {
  return { code: error.code, errors } as RefusedOutcome
}

function refuse(
  request: RecordRequest,
  personErrors: Pick<Draft, 'errors' | 'links'>,
  assetErrors: Record<string, string>,
  summary: string = request.texts.records.invalid,
): Promise<PageResponse> {
  const errors = { ...personErrors.errors, ...assetErrors }
  const draft = { ...submittedDraft(request), ...personErrors, errors, summary, status: 422 }
  return formPage(request, null, draft)
}
