// /assign.php?person=…: gives a person equipment from stock, or new equipment. All changes form one change set.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import type { DeskStep, FailedStep } from '../../../domain/equipment/operations.ts'
import { draftAttributes } from '../../components/forms/draft.ts'
import { defaultButton, errorSummary, form, hiddenField, submitButton } from '../../components/forms/forms.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { buttonRow } from '../../components/sections.ts'
import { resourceTexts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { confirmationLink } from '../hand-over/links.ts'
import { asksForMore, equipmentErrors, equipmentFields, readEquipment } from './equipment.ts'
import { type Draft, leftMessage, requirePerson } from './questions.ts'
import { redirectWithToast, runDeskSteps } from './run.ts'

export async function showGive(request: TenantRequest): Promise<PageResponse> {
  const person = await requirePerson(request)
  return refuseLeaver(request, person) ?? givePage(request, person, { errors: {} })
}

export async function submitGive(request: TenantRequest): Promise<PageResponse> {
  const { texts, form: formValues } = request
  const person = await requirePerson(request)
  const refused = refuseLeaver(request, person)
  if (refused) return refused
  if (asksForMore(formValues)) return givePage(request, person, { errors: {} })
  const equipment = readEquipment(request, { id: person.id })
  const { steps, errors } = equipment
  if (Object.keys(errors).length > 0)
    return givePage(request, person, { errors, summary: texts.records.invalid, status: 422 })
  if (steps.length === 0) return givePage(request, person, { errors, summary: texts.verbs.nothingChosen, status: 422 })
  const outcome = await runDeskSteps(request, steps as DeskStep[])
  if ('records' in outcome) {
    const items = resourceTexts(texts, 'hardware').count(outcome.records.length)
    const text = texts.verbs.done.assign(items, titleOf(person, ['name', 'email']))
    const link = confirmationLink(request, 'give', outcome.changeSet)
    return redirectWithToast({
      to: recordUrl(request, 'employees', person.id),
      text,
      changeSet: outcome.changeSet,
      ...link,
    })
  }
  const failures: FailedStep[] = 'failures' in outcome ? outcome.failures : []
  const failed = equipmentErrors(request, equipment, failures)
  const summary = 'failures' in outcome ? failed.summary : texts.records.sentBefore
  return givePage(request, person, { errors: failed.errors, summary, status: 422 })
}

/** Returns an error page if the person has left. */
function refuseLeaver(request: TenantRequest, person: PanelRecord): PageResponse | undefined {
  const message = leftMessage(request, person)
  if (message === undefined) return undefined
  const url = recordUrl(request, 'employees', person.id)
  const back = html`<a class="button" href="${url}">${request.texts.recordPages.back}</a>`
  return { kind: 'page', title: request.texts.verbs.give, body: errorSummary(message) + buttonRow(back), status: 409 }
}

async function givePage(request: TenantRequest, person: PanelRecord, draft: Draft): Promise<PageResponse> {
  const { texts, baseParams } = request
  const title = texts.verbs.giveTo(titleOf(person, ['name', 'email']))
  const cancel = html`<a href="${recordUrl(request, 'employees', person.id)}">${texts.cancel}</a>`
  const content = html`!${defaultButton}!${hiddenField('once', randomUUID())}
!${await equipmentFields(request, person.customer_id as number, draft.errors)}
!${buttonRow(submitButton(texts.verbs.give, { kind: 'main' }), cancel)}`
  const action = pageUrl('assign.php', { ...baseParams, person: person.id })
  const attributes = draftAttributes(request, `give ${person.id}`, request.form.size > 0)
  const body = errorSummary(draft.summary) + form(request, action, content, 'record desk', attributes)
  return { kind: 'page', title, body, status: draft.status ?? 200 }
}
