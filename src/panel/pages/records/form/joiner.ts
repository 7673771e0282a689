// Saves a new person and their equipment in a single change set.

import { type DeskStep, newPerson } from '../../../../domain/equipment/operations.ts'
import { type Values, validateNew } from '../../../../domain/fields/validate.ts'
import { titleOf } from '../../../components/record-fields.ts'
import type { PageResponse } from '../../../responses.ts'
import { pageUrl, recordUrl } from '../../../urls.ts'
import { type DeskPage, runSteps, submitDeskForm } from '../../desk/desk-page.ts'
import { type Equipment, equipmentErrors, readEquipment } from '../../desk/equipment.ts'
import { toInvalidOutcome } from '../mutations.ts'
import type { RecordRequest } from '../request.ts'
import { submittedDraft, typedValues } from './draft.ts'
import { fieldErrors } from './errors.ts'
import { addAnotherName, formPage } from './render.ts'

type Joining = { steps: DeskStep[]; values: Values; equipment: Equipment }

const joinerForm: DeskPage<RecordRequest, { equipment: Equipment }, Joining> = {
  reads: async (request) => ({ equipment: readEquipment(request, newPerson) }),

  form: (request, _, refusal) => formPage(request, null, { ...submittedDraft(request), ...refusal }),

  async plans(request, { equipment }) {
    const { resource } = request
    try {
      const { values } = validateNew(resource, typedValues(request))
      const person: DeskStep = { kind: 'create', resource: resource.name, values }
      return { change: { steps: [person, ...equipment.steps], values, equipment }, errors: equipment.errors }
    } catch (error) {
      const { errors, links } = await fieldErrors(request, toInvalidOutcome(error))
      return { errors: { ...errors, ...equipment.errors }, links }
    }
  },

  runs: runSteps,

  says(request, _, { values, equipment }, body) {
    const { texts, resource, form, baseParams } = request
    const personUrl = recordUrl(request, resource.name, JSON.parse(body).records[0].id)
    const to = form.has(addAnotherName) ? pageUrl('records.php', { ...baseParams, new: 1 }) : personUrl
    return { to, text: texts.verbs.joined(titleOf(values, resource.title), equipment.steps.length), task: 'onboard' }
  },

  async explains(request, { equipment }, failures) {
    const person = failures.find(({ step }) => step === 0)
    if (!person) return equipmentErrors(request, equipment, failures, 1)
    const { errors = {}, links } = await fieldErrors(request, { code: person.error.code, errors: person.errors ?? {} })
    return { errors, links, summary: request.texts.records.invalid, status: 422 }
  },
}

/** Returns undefined if the form is not for a new person, or if it contains no equipment. */
export async function saveJoiner(request: RecordRequest, id: number | null): Promise<PageResponse | undefined> {
  if (id !== null || request.resource.name !== 'employees') return undefined
  const { steps, errors } = readEquipment(request, newPerson)
  const hasEquipment = steps.length > 0 || Object.keys(errors).length > 0
  return hasEquipment ? submitDeskForm(joinerForm, request) : undefined
}
