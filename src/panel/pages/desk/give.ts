// /assign.php?person=…: gives a person equipment from stock, or new equipment. All changes form one change set.

import { html } from 'ghtml'
import { defaultButton, draftAttributes, errorSummary } from '../../components/forms/forms.ts'
import { titleOf } from '../../components/record-fields.ts'
import { buttonRow } from '../../components/sections.ts'
import { resourceTexts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { deskForm, deskPage, runSteps } from './desk-page.ts'
import { asksForMore, equipmentErrors, equipmentFields, readEquipment, stockedText } from './equipment.ts'
import { leftMessage, personField, requirePerson } from './questions.ts'

export const givePage = deskPage({
  asksFor: { field: personField, title: ({ verbs }) => verbs.give },

  async reads(request) {
    const { record: person } = await requirePerson(request)
    const message = leftMessage(request, person)
    const cancel = recordUrl(request, 'employees', person.id)
    return { person, cancel, instead: message === undefined ? undefined : leaverPage(request, message, cancel) }
  },

  async form(request, { person, cancel }, refusal) {
    const { texts, baseParams } = request
    const name = titleOf(person, ['name', 'email'])
    const recipient = { name, branch: Number(person.customer_id) }
    return deskForm(request, refusal, {
      title: texts.verbs.giveTo(name),
      action: pageUrl('assign.php', { ...baseParams, person: person.id }),
      fields: defaultButton + (await equipmentFields(request, recipient, refusal.errors)),
      button: texts.verbs.give,
      cancel,
      attributes: draftAttributes(request, `give ${person.id}`, request.form.size > 0),
    })
  },

  continues: asksForMore,

  async plans(request, { person }) {
    const equipment = await readEquipment(request, { id: person.id })
    const { steps, errors } = equipment
    const isEmpty = steps.length === 0 && Object.keys(errors).length === 0
    const summary = isEmpty ? request.texts.verbs.nothingChosen : undefined
    return { change: { steps, equipment }, errors, summary }
  },

  runs: runSteps,

  says(request, { person, cancel }, { equipment }) {
    const { texts } = request
    const { given } = equipment
    const items = resourceTexts(texts, 'hardware').count(given)
    const assigned = given > 0 ? texts.verbs.done.assign(items, titleOf(person, ['name', 'email'])) : ''
    const text = (assigned + stockedText(request, equipment)).trim()
    return { to: cancel, text, ...(given > 0 && { task: 'give' }) }
  },

  explains: (request, { equipment }, failures) => equipmentErrors(request, equipment, failures),
})

function leaverPage({ texts }: TenantRequest, message: string, url: string): PageResponse {
  const back = html`<a class="button" href="${url}">${texts.recordPages.back}</a>`
  return { kind: 'page', title: texts.verbs.give, body: errorSummary(message) + buttonRow(back), status: 409 }
}
