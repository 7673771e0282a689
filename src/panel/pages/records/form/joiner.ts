// Saves a new person together with their equipment, as one change set.

import { type RecordInput, validateNew } from '../../../../resources/validate.ts'
import { newPerson } from '../../../../storage/operations/desk.ts'
import { titleOf } from '../../../components/record-fields.ts'
import type { PageResponse } from '../../../responses.ts'
import { pageUrl, recordUrl } from '../../../urls.ts'
import { equipmentErrors, readEquipment } from '../../desk/equipment.ts'
import { confirm, runDesk } from '../../desk/run.ts'
import { confirmationLink } from '../../hand-over/links.ts'
import { type Outcome, toInvalidOutcome } from '../mutations.ts'
import type { RecordRequest } from '../request.ts'
import { type Draft, submittedDraft, typedValues } from './draft.ts'
import { fieldErrors } from './errors.ts'
import { addsAnother, formPage } from './render.ts'

/** Undefined if the form is not about a new person, or gives them nothing. */
export async function saveJoiner(request: RecordRequest, id: number | null): Promise<PageResponse | undefined> {
  const { texts, resource } = request
  if (id !== null || resource.name !== 'employees') return undefined
  const equipment = readEquipment(request, newPerson)
  if (equipment.steps.length === 0 && Object.keys(equipment.errors).length === 0) return undefined
  const checked = check(request)
  if (!('values' in checked) || Object.keys(equipment.errors).length > 0)
    return refuse(request, 'values' in checked ? {} : await fieldErrors(request, checked), equipment.errors)
  const { values } = checked
  const outcome = await runDesk(request, [{ kind: 'create', resource: resource.name, values }, ...equipment.steps])
  if ('records' in outcome) {
    const own = recordUrl(request, resource.name, outcome.records[0]!.id)
    const to = request.form.has(addsAnother) ? pageUrl('records.php', { ...request.baseParams, new: 1 }) : own
    const text = texts.verbs.joined(titleOf(values, resource.title), equipment.steps.length)
    const { changeSet } = outcome
    return confirm({ to, text, changeSet, ...confirmationLink(request, 'onboard', changeSet) })
  }
  if ('sentBefore' in outcome) return refuse(request, {}, {}, texts.records.sentBefore)
  const own = outcome.failures.find(({ step }) => step === 0)
  if (own) return refuse(request, await fieldErrors(request, toOutcome(own)), {})
  const { errors, summary } = equipmentErrors(request, equipment, outcome.failures, 1)
  return refuse(request, {}, errors, summary)
}

type Refused = Exclude<Outcome, { record: unknown }>

function check(request: RecordRequest): RecordInput | Refused {
  try {
    return validateNew(request.resource, typedValues(request))
  } catch (error) {
    return toInvalidOutcome(error) as Refused
  }
}

function toOutcome({ error, errors = {} }: { error: { code: string }; errors?: object }): Refused {
  return { code: error.code, errors } as Refused
}

function refuse(
  request: RecordRequest,
  own: Pick<Draft, 'errors' | 'links'>,
  errors: Record<string, string>,
  summary: string = request.texts.records.invalid,
): Promise<PageResponse> {
  const draft = { ...submittedDraft(request), ...own, errors: { ...own.errors, ...errors }, summary, status: 422 }
  return formPage(request, null, draft)
}
