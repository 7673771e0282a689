// /offboard.php?person=…: the form for a person who leaves the company. For each asset that the person holds, the
// form asks whether the asset goes to stock, goes to another person, is lost, or will be returned later.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import { employees } from '../../../domain/declarations/employees.ts'
import type { DeskStep } from '../../../domain/equipment/operations.ts'
import { isOffered, type VerbName } from '../../../domain/equipment/verbs.ts'
import { isDay } from '../../../domain/fields/field-values.ts'
import { validateChanges } from '../../../domain/fields/validate.ts'
import { tagRecord } from '../../../engine/responses/entity-tags.ts'
import { draftAttributes } from '../../components/forms/draft.ts'
import { errorSummary, form, hiddenField, submitButton, textField } from '../../components/forms/forms.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { buttonRow } from '../../components/sections.ts'
import { dayOf } from '../../i18n/conventions.ts'
import { toLocalizedRequest } from '../../requests/authorize.ts'
import type { SignedInRequest, TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { confirmationLink } from '../hand-over/links.ts'
import { askForRecord } from '../search/ask-for-record.ts'
import { withChosenRecords } from '../search/choices.ts'
import { detailsOf } from './item-list.ts'
import { type Item, listItems, maxItems } from './items.ts'
import {
  chooserInput,
  choosers,
  type Draft,
  type Errors,
  findPerson,
  inputNames,
  leftMessage,
  personField,
  requirePerson,
} from './questions.ts'
import { redirectWithToast, runDeskSteps } from './run.ts'

/** What can happen to an asset when its holder leaves. `keep`: the person will return it later. */
const fates = ['return', 'hand_over', 'report_lost', 'keep'] as const
type Fate = (typeof fates)[number]

export async function showOffboard(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequest(request, 'write')
  const question = { page: 'offboard.php', title: tenantRequest.texts.verbs.offboard, field: personField }
  const questionPage = await askForRecord(tenantRequest, question)
  if (questionPage) return questionPage
  return offboardPage(tenantRequest, await requirePerson(tenantRequest), { errors: {} })
}

export async function submitOffboard(request: SignedInRequest): Promise<PageResponse> {
  const submittedRequest = await toLocalizedRequest(request)
  const person = await requirePerson(submittedRequest)
  if (submittedRequest.form.has('find')) return offboardPage(submittedRequest, person, { errors: {} })
  const { request: tenantRequest, errors: chooserErrors } = await withChosenRecords(
    submittedRequest,
    Object.values(choosers),
  )
  const { texts } = tenantRequest
  const { steps, errors: invalid } = await readSteps(tenantRequest, person)
  const errors = { ...invalid, ...chooserErrors }
  if (Object.keys(errors).length > 0)
    return offboardPage(tenantRequest, person, { errors, summary: texts.records.invalid, status: 422 })
  const outcome = await runDeskSteps(tenantRequest, steps)
  if ('records' in outcome) {
    const text = texts.verbs.offboarded(titleOf(person, employees.title))
    const to = recordUrl(tenantRequest, 'employees', person.id)
    const link = confirmationLink(tenantRequest, 'offboard', outcome.changeSet)
    return redirectWithToast({ to, text, changeSet: outcome.changeSet, ...link })
  }
  const summary = 'sentBefore' in outcome ? texts.records.sentBefore : texts.verbs.changedMeanwhile
  return offboardPage(tenantRequest, person, { errors, summary, status: 409 })
}

function readHeld(request: TenantRequest, person: PanelRecord): Promise<Item[]> {
  return listItems(request, { employee_id: String(person.id), limit: String(maxItems) })
}

/** The steps for the assets come first, so that the assets have a new holder before the person is deactivated. */
async function readSteps(request: TenantRequest, person: PanelRecord): Promise<{ steps: DeskStep[]; errors: Errors }> {
  const { texts, form: formValues, deps } = request
  const errors: Errors = {}
  const lastDay = (formValues.get('end_date') ?? '').trim()
  if (!isDay(lastDay)) errors.end_date = texts.errors.invalid_date
  const recipient = await findPerson(request, formValues.getAll(inputNames.person).at(-1) ?? '')
  const leftError = recipient && leftMessage(request, recipient)
  const chosenBranch = formValues.get(inputNames.branch)
  const returnAnswers = chosenBranch ? { branch: Number(chosenBranch) } : {}
  const held = await readHeld(request, person)
  const steps = held.flatMap(({ id }): DeskStep[] => {
    const fate = fateOf(formValues, id)
    if (fate === 'keep') return []
    const common = { kind: 'verb' as const, verb: fate, id, ifMatch: formValues.get(`etag.${id}`) }
    if (fate !== 'hand_over') return [{ ...common, answers: fate === 'return' ? returnAnswers : {} }]
    if (!recipient || recipient.id === person.id) errors[inputNames.person] = texts.verbs.chooseRecipient
    else if (leftError !== undefined) errors[inputNames.person] = leftError
    return recipient ? [{ ...common, answers: { person: recipient.id } }] : []
  })
  if (held.some(({ id }) => !formValues.has(`fate.${id}`))) errors.items = texts.verbs.changedMeanwhile
  if (Object.keys(errors).length > 0) return { steps, errors }
  const isOver = lastDay <= dayOf(texts, deps.now())
  const { values } = validateChanges(employees, { end_date: lastDay, ...(isOver && { is_active: false }) })
  const ifMatch = formValues.get('etag')
  return { steps: [...steps, { kind: 'update', resource: 'employees', id: person.id, values, ifMatch }], errors }
}

function fateOf(form: URLSearchParams, id: number): Fate {
  const given = form.get(`fate.${id}`)
  return fates.find((each) => each === given) ?? 'return'
}

async function offboardPage(request: TenantRequest, person: PanelRecord, draft: Draft): Promise<PageResponse> {
  const { texts, form: formValues, query, deps, baseParams } = request
  const { errors } = draft
  const items = await readHeld(request, person)
  const name = titleOf(person, employees.title)
  const lastDay = formValues.get('end_date') ?? query.get('end_date') ?? person.end_date ?? dayOf(texts, deps.now())
  const day = textField({
    name: 'end_date',
    label: texts.fields.end_date!,
    type: 'date',
    value: String(lastDay),
    required: true,
    hint: texts.verbs.lastDayHint,
    error: errors.end_date,
  })
  const cancel = html`<a href="${recordUrl(request, 'employees', person.id)}">${texts.cancel}</a>`
  const { etag } = tagRecord(person as Parameters<typeof tagRecord>[0])
  const content = html`!${hiddenField('once', randomUUID())}!${hiddenField('etag', etag)}
<div class="grid">!${day}</div>
!${await itemFields(request, items, errors)}
!${buttonRow(submitButton(texts.verbs.offboardSubmit, { kind: 'main' }), cancel)}`
  const action = pageUrl('offboard.php', { ...baseParams, person: person.id })
  const attributes = draftAttributes(request, `offboard ${person.id}`, formValues.size > 0)
  const body = errorSummary(draft.summary) + form(request, action, content, 'record desk', attributes)
  return { kind: 'page', title: texts.verbs.offboardTitle(name), body, status: draft.status ?? 200 }
}

async function itemFields(request: TenantRequest, items: Item[], errors: Errors): Promise<string> {
  const { texts, form: formValues } = request
  if (items.length === 0) return html`<p class="none">${texts.verbs.holdsNothing}</p>`
  const rows = items.map((item) => itemField(request, item, fateOf(formValues, item.id)))
  const [stock, other] = [inputNames.branch, inputNames.person].map((each) => errors[each])
  const { stockBranch, stockBranchHint, recipient, recipientHint } = texts.verbs
  const fields = await Promise.all([
    chooserInput(request, 'branch', { required: false, error: stock, label: stockBranch, hint: stockBranchHint }),
    chooserInput(request, 'person', { required: false, error: other, label: recipient, hint: recipientHint }),
  ])
  return html`<h2>${texts.verbs.whatBecomes}</h2><ul class="picks">!${rows}</ul><div class="grid">!${fields}</div>`
}

function itemField(request: TenantRequest, item: Item, chosen: Fate): string {
  const { texts } = request
  const offered = fates.filter((fate) => fate === 'keep' || isOffered(fate as VerbName, item.state))
  const radios = offered.map((fate) => {
    const checked = fate === chosen ? ' checked' : ''
    return html`<label><input type="radio" name="fate.${item.id}" value="${fate}"!${checked}>
${texts.verbs.fates[fate]}</label>`
  })
  const details = detailsOf(texts, item, 'without holder').join(' · ')
  const id = `fate-${item.id}`
  return html`<li><p class="fate-name" id="${id}"><bdi class="name">${item.name}</bdi>
<small><bdi>${details}</bdi></small></p>!${hiddenField(`etag.${item.id}`, item.etag)}
<div class="fates" role="radiogroup" aria-labelledby="${id}">!${radios}</div></li>`
}
