// Saves a new person and their equipment in a single change set. If a form deactivates a person who still holds
// equipment, the offboarding page is shown instead.

import { type DeskStep, newPerson } from '../../../../domain/equipment/operations.ts'
import { isDay } from '../../../../domain/fields/field-values.ts'
import { type Values, validateChanges, validateNew } from '../../../../domain/fields/validate.ts'
import { Problem } from '../../../../problem.ts'
import { titleOf } from '../../../components/record-fields.ts'
import { dayOf } from '../../../i18n/conventions.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import { type PageResponse, redirectTo } from '../../../responses.ts'
import { pageUrl, recordUrl } from '../../../urls.ts'
import { type DeskPage, type Errors, runSteps, submitDeskForm } from '../../desk/desk-page.ts'
import { type Equipment, equipmentErrors, readEquipment, stockedText } from '../../desk/equipment.ts'
import { listItems } from '../../desk/items.ts'
import { toInvalidOutcome } from '../mutations.ts'
import { type FoundRecord, findRecord } from '../queries.ts'
import { addAnotherName, anotherParams } from './another.ts'
import { submittedDraft, typedValues } from './draft.ts'
import { fieldErrors, noOutcome } from './errors.ts'
import { formPage } from './render.ts'

type Joining = { steps: DeskStep[]; values: Values; equipment: Equipment }

const joinerForm: DeskPage<RecordRequest, { equipment: Equipment }, Joining> = {
  reads: async (request) => ({ equipment: await readEquipment(request, newPerson) }),

  form: (request, _, refusal) => formPage(request, null, { ...submittedDraft(request), ...refusal }),

  async plans(request, { equipment }) {
    const { resource } = request
    try {
      const { values } = validateNew(resource, typedValues(request))
      const person: DeskStep = { kind: 'create', resource: resource.name, values }
      const isRefused = Object.keys(equipment.errors).length > 0
      const { errors, links } = isRefused ? await fieldErrors(request, noOutcome) : {}
      const change = { steps: [person, ...equipment.steps], values, equipment }
      return { change, errors: { ...errors, ...equipment.errors }, links }
    } catch (error) {
      const { errors, links } = await fieldErrors(request, toInvalidOutcome(error))
      return { errors: { ...errors, ...(await joinerErrors(request, null)) }, links }
    }
  },

  runs: runSteps,

  says(request, _, { values, equipment }, body) {
    const { texts, resource, form } = request
    const personUrl = recordUrl(request, resource.name, JSON.parse(body).records[0].id)
    const to = form.has(addAnotherName) ? pageUrl('records.php', anotherParams(request, values)) : personUrl
    const title = titleOf(values, resource.title, texts)
    const { given } = equipment
    const joined = given > 0 ? texts.verbs.joined(title, given) : texts.recordPages.toasts.created(title)
    return { to, text: joined + stockedText(request, equipment), ...(given > 0 && { task: 'onboard' }) }
  },

  async explains(request, { equipment }, failures) {
    const person = failures.find(({ step }) => step === 0)
    if (!person) return equipmentErrors(request, equipment, failures, 1)
    const { errors, links } = await fieldErrors(request, { code: person.error.code, errors: person.errors ?? {} })
    const allErrors = { ...errors, ...(await joinerErrors(request, null)) }
    return { errors: allErrors, links, summary: request.texts.records.invalid, status: 422 }
  },
}

/** Returns undefined if the form is not for a new person, or if it contains no equipment. */
export async function saveJoiner(request: RecordRequest, id: number | null): Promise<PageResponse | undefined> {
  if (!isForNewPerson(request, id)) return undefined
  const { steps, errors } = await readEquipment(request, newPerson)
  const hasEquipment = steps.length > 0 || Object.keys(errors).length > 0
  return hasEquipment ? submitDeskForm(joinerForm, request) : undefined
}

/** Returns the errors in the equipment of a new person whose form has other errors. */
export async function joinerErrors(request: RecordRequest, id: number | null): Promise<Errors> {
  return isForNewPerson(request, id) ? (await readEquipment(request, newPerson, false)).errors : {}
}

function isForNewPerson({ resource }: RecordRequest, id: number | null): boolean {
  return id === null && resource.name === 'employees'
}

/** `rest`: the form without the fields that deactivate the person; null if it changes nothing else. `next`: the
 *  redirect to the offboarding page. */
type LeaverForm = { rest: RecordRequest | null; next: PageResponse }

const endFields = ['is_active', 'end_date']

/** Returns undefined unless the form deactivates a person who holds equipment. */
export async function leaverOf(request: RecordRequest, id: number | null): Promise<LeaverForm | undefined> {
  const { resource, texts, baseParams } = request
  if (id === null || resource.name !== 'employees') return undefined
  const current = await findRecord(request, resource, id)
  const typed = typedValues(request)
  if (!current || !deactivates(request, current.record, typed)) return undefined
  if ((await listItems(request, { employee_id: String(id), limit: '1' })).length === 0) return undefined
  const form = new URLSearchParams(request.form)
  for (const name of endFields) form.delete(name)
  const rest = { ...request, form }
  const text = texts.verbs.holdsEquipment(titleOf(current.record, resource.title, texts))
  const params = { tenant: baseParams.tenant, person: id, end_date: typed.end_date }
  return { rest: hasChanges(rest, current) ? rest : null, next: redirectTo('offboard.php', params, { text }) }
}

function deactivates(
  { texts, deps }: RecordRequest,
  record: FoundRecord['record'],
  { is_active: isActive, end_date: endDate = '' }: Record<string, string>,
): boolean {
  if (record.kind === 'storage') return false
  const isDeactivated = record.is_active === true && (isActive === '0' || isActive === 'false')
  const isOver = isDay(endDate) && endDate < dayOf(texts, deps.now()) && endDate !== record.end_date
  return isDeactivated || isOver
}

/** Also returns true for invalid values, because saving them then reports the errors. */
function hasChanges(rest: RecordRequest, { record }: FoundRecord): boolean {
  try {
    const { values } = validateChanges(rest.resource, typedValues(rest))
    return Object.entries(values).some(([name, value]) => record[name] !== value)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return true
  }
}
