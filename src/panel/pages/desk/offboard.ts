// /offboard.php?person=…: the form for a person who leaves the company. For each asset that the person holds, the
// form asks whether the asset goes to stock, goes to another person, is lost, or will be returned later.

import { html } from 'ghtml'
import { employees } from '../../../domain/declarations/employees.ts'
import type { DeskStep } from '../../../domain/equipment/operations.ts'
import { isOffered } from '../../../domain/equipment/verbs.ts'
import { isDay } from '../../../domain/fields/field-values.ts'
import { validateChanges } from '../../../domain/fields/validate.ts'
import { draftAttributes, hiddenField, textField } from '../../components/forms/forms.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { buttonRow } from '../../components/sections.ts'
import { dayOf } from '../../i18n/conventions.ts'
import { formatDate } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { deskForm, deskPage, type Errors, runSteps } from './desk-page.ts'
import { detailsOf, type Item, listItems, maxItems, withTag } from './items.ts'
import { chooserInput, choosers, findPerson, inputNames, leftMessage, personField, requirePerson } from './questions.ts'

/** What can happen to an asset when its holder leaves. `keep`: the person will return it later. */
const fates = ['return', 'hand_over', 'report_lost', 'keep'] as const
type Fate = (typeof fates)[number]

/** `items`: the assets that the person holds. */
type Leaving = { person: PanelRecord; etag: string; items: Item[] }

export const offboardPage = deskPage({
  asksFor: { field: personField, title: ({ verbs }) => verbs.offboard },

  async reads(request): Promise<Leaving & { instead?: PageResponse | undefined }> {
    const { record: person, etag } = await requirePerson(request)
    const items = await listItems(request, { employee_id: String(person.id), limit: String(maxItems) })
    const isDone = !request.isForm && !person.is_active && items.length === 0
    return { person, etag, items, instead: isDone ? donePage(request, person) : undefined }
  },

  async form(request, { person, etag, items }, refusal) {
    const { texts, form, baseParams } = request
    return deskForm(request, refusal, {
      title: texts.verbs.offboardTitle(titleOf(person, employees.title)),
      action: pageUrl('offboard.php', { ...baseParams, person: person.id }),
      fields: html`!${hiddenField('etag', etag)}
<div class="grid">!${lastDayField(request, person, refusal.errors)}</div>
!${await itemFields(request, { person, etag, items }, refusal.errors)}`,
      button: texts.verbs.offboard,
      cancel: recordUrl(request, 'employees', person.id),
      attributes: draftAttributes(request, `offboard ${person.id}`, form.size > 0),
    })
  },

  choosers: () => Object.values(choosers),

  plans: planSteps,

  runs: runSteps,

  says(request, { person, items }) {
    const { texts, form } = request
    const kept = items.filter(({ id }) => form.get(`fate.${id}`) === 'keep').length
    const day = lastDayOf(request, person)
    const name = titleOf(person, employees.title)
    const { offboarded, leaving } = texts.verbs
    const text = isLater(request, day) ? leaving(name, formatDate(texts, day), kept) : offboarded(name, kept)
    return { to: recordUrl(request, 'employees', person.id), text, task: 'offboard' }
  },
})

/** The page about somebody who has left and holds nothing, for example after going back to the form. */
function donePage(request: TenantRequest, person: PanelRecord): PageResponse {
  const { texts } = request
  const name = titleOf(person, employees.title)
  const url = recordUrl(request, 'employees', person.id)
  const link = html`<a class="button main" href="${url}">${texts.recordPages.open}</a>`
  const body = html`<p class="lead">${texts.verbs.offboarded(name, 0)}</p>!${buttonRow(link)}`
  return { kind: 'page', title: texts.verbs.offboardTitle(name), body }
}

/** The steps for the assets come first, so that the assets have a new holder before the person is deactivated. */
async function planSteps(request: TenantRequest, { person, items }: Leaving) {
  const { texts, form, deps } = request
  const errors: Errors = {}
  const lastDay = (form.get('end_date') ?? '').trim()
  if (!isDay(lastDay)) errors.end_date = texts.errors.invalid_date
  const recipient = await findPerson(request, form.getAll(inputNames.person).at(-1) ?? '')
  const leftError = recipient && leftMessage(request, recipient)
  const branch = form.get(inputNames.branch)
  const returnAnswers = branch ? { branch: Number(branch) } : {}
  const steps = items.flatMap(({ id }): DeskStep[] => {
    const fate = fateOf(form, id)
    if (fate === undefined || fate === 'keep') return []
    const common = { kind: 'verb' as const, verb: fate, id, ifMatch: form.get(`etag.${id}`) }
    if (fate !== 'hand_over') return [{ ...common, answers: fate === 'return' ? returnAnswers : {} }]
    if (!recipient || recipient.id === person.id) errors[inputNames.person] = texts.verbs.chooseRecipient
    else if (leftError !== undefined) errors[inputNames.person] = leftError
    return recipient ? [{ ...common, answers: { person: recipient.id } }] : []
  })
  if (items.some(({ id }) => !form.has(`fate.${id}`))) return { errors, summary: texts.verbs.changedMeanwhile }
  if (Object.keys(errors).length > 0) return { errors }
  const isOver = lastDay <= dayOf(texts, deps.now())
  const { values } = validateChanges(employees, { end_date: lastDay, ...(isOver && { is_active: false }) })
  const ifMatch = form.get('etag')
  const update: DeskStep = { kind: 'update', resource: 'employees', id: person.id, values, ifMatch }
  return { change: { steps: [...steps, update] }, errors }
}

function fateOf(form: URLSearchParams, id: number): Fate | undefined {
  const name = form.get(`fate.${id}`)
  return fates.find((each) => each === name)
}

function lastDayOf({ texts, form, query, deps }: TenantRequest, { end_date: endDate }: PanelRecord): string {
  return String(form.get('end_date') ?? query.get('end_date') ?? endDate ?? dayOf(texts, deps.now()))
}

/** Whether the day is after today. Until then, the person keeps the equipment, unless the user chooses otherwise. */
function isLater({ texts, deps }: TenantRequest, day: string): boolean {
  return day > dayOf(texts, deps.now())
}

function lastDayField(request: TenantRequest, person: PanelRecord, errors: Errors): string {
  const { texts } = request
  return textField({
    name: 'end_date',
    label: texts.fields.end_date!,
    type: 'date',
    value: lastDayOf(request, person),
    required: texts.required,
    hint: texts.verbs.lastDayHint,
    error: errors.end_date,
  })
}

async function itemFields(request: TenantRequest, { person, items }: Leaving, errors: Errors): Promise<string> {
  const { texts, form, deps } = request
  if (items.length === 0) return html`<p class="none">${texts.verbs.holdsNothing}</p>`
  const usual = isLater(request, lastDayOf(request, person)) ? 'keep' : 'return'
  const rows = items.map((item) => itemField(request, item, fateOf(form, item.id) ?? usual))
  const [stock, other] = [inputNames.branch, inputNames.person].map((each) => errors[each])
  const { stockBranch, stockBranchHint, recipient, recipientHint } = texts.verbs
  const fields = await Promise.all([
    chooserInput(request, 'branch', { required: false, error: stock, label: stockBranch, hint: stockBranchHint }),
    chooserInput(request, 'person', { required: false, error: other, label: recipient, hint: recipientHint }),
  ])
  return html`<h2>${texts.verbs.whatBecomes}</h2><p class="hint">${texts.verbs.fatesHint}</p>
<ul class="picks" data-today="${dayOf(texts, deps.now())}">!${rows}</ul><div class="grid">!${fields}</div>`
}

function itemField(request: TenantRequest, item: Item, chosen: Fate): string {
  const { texts } = request
  const offered = fates.filter((fate) => fate === 'keep' || isOffered(fate, item.state))
  const radios = offered.map((fate) => {
    const checked = fate === chosen ? ' checked' : ''
    return html`<label><input type="radio" name="fate.${item.id}" value="${fate}"!${checked}>
${texts.verbs.fates[fate]}</label>`
  })
  const details = detailsOf(texts, item, 'without holder').join(' · ')
  const id = `fate-${item.id}`
  return html`<li><p class="fate-name" id="${id}">!${withTag(request, item, html`<bdi class="name">${item.name}</bdi>`)}
<small><bdi>${details}</bdi></small></p>!${hiddenField(`etag.${item.id}`, item.etag)}
<div class="fates" role="radiogroup" aria-labelledby="${id}">!${radios}</div></li>`
}
