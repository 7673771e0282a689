// Asks the user to choose a record. Shown when a page requires a record but the URL does not name one.

import { html } from 'ghtml'
import { comboboxFields } from '../../components/forms/combobox.ts'
import { hiddenFields, submitButton } from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import { resourceTexts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { type PageResponse, redirectTo } from '../../responses.ts'
import { type ChooserField, chooser, chosenProblem, readChosen } from './choices.ts'

/** `page`: the page to open for the chosen record. Its parameter `field.name` receives the record's id. */
type Question = { page: string; title: string; field: ChooserField }

/** Returns undefined if the URL already names the record. */
export async function askForRecord(request: TenantRequest, question: Question): Promise<PageResponse | undefined> {
  const { query, texts, baseParams } = request
  const { page, title, field } = question
  const isTyped = query.has(comboboxFields(field.name).typed)
  if (!isTyped && query.has(field.name)) return undefined
  const queryAsForm = { ...request, form: query }
  const chosen = isTyped && !query.has('find') ? await readChosen(queryAsForm, field) : undefined
  if (chosen && chosen.id !== null) return redirectTo(page, { ...baseParams, [field.name]: chosen.id })
  const error = chosen && chosenProblem(texts, field.resource, chosen.problem)
  const label = resourceTexts(texts, field.resource).one
  const input = await chooser(queryAsForm, { ...field, label, error, autofocus: true }, query.get(field.name), query)
  const body = html`<form action="${page}" class="record">!${hiddenFields(baseParams)}!${input}
!${buttonRow(submitButton(texts.bulkEdits.go, { kind: 'main' }))}</form>`
  return { kind: 'page', title, body, status: error === undefined ? 200 : 422 }
}
