// Renders the form that asks for what a task requires: a person, a branch, a day, or the fields to change.

import { html } from 'ghtml'
import { errorSummary, form, submitButton, textField } from '../../components/forms/forms.ts'
import { input } from '../../components/forms/record-inputs.ts'
import { buttonRow } from '../../components/sections.ts'
import { fieldLabel } from '../../i18n/index.ts'
import type { PageResponse } from '../../responses.ts'
import { choosers, inputNames } from '../desk/questions.ts'
import type { RecordRequest } from '../records/request.ts'
import { chooser } from '../search/choices.ts'
import { type AnswerErrors, fieldChoiceName } from './answers.ts'
import { editableFields, type Question, questionsOf, type Task } from './tasks.ts'

/** `title`: names the task and the selection. `action`: the URL to which the form is submitted. `cancel`: HTML, either
 *  the link back to the list or the button that discards the job. */
export type AskOptions = { task: Task; title: string; action: string; cancel: string; errors?: AnswerErrors }

export async function askPage(request: RecordRequest, options: AskOptions): Promise<PageResponse> {
  const { texts } = request
  const { task, title, action, cancel, errors = {} } = options
  const inputs = await Promise.all(questionsOf(task).map((question) => questionInput(request, question, errors)))
  const hasErrors = Object.keys(errors).length > 0
  const summary = hasErrors ? (errors[fieldChoiceName] ?? texts.bulkEdits.invalid) : undefined
  const asksFields = questionsOf(task).includes('fields')
  const hint = asksFields ? html`<p class="lead">${texts.bulkEdits.chooseFields}</p>` : ''
  const fields = html`!${hint}<div class="grid">!${inputs}</div>
!${buttonRow(submitButton(texts.bulkEdits.toPreview, { kind: 'main' }), cancel)}`
  const body = errorSummary(summary) + form(request, action, fields, { className: 'record' })
  return { kind: 'page', title, body, status: hasErrors ? 422 : 200 }
}

async function questionInput(request: RecordRequest, question: Question, errors: AnswerErrors): Promise<string> {
  const { form: formValues, texts } = request
  switch (question) {
    case 'person':
    case 'branch': {
      const field = choosers[question]
      const { name } = field
      const shown = { ...field, label: fieldLabel(texts, name), required: true, error: errors[name] }
      return chooser(request, shown, formValues.get(name))
    }
    case 'due_back': {
      const [name, label] = [inputNames.due_back, fieldLabel(texts, 'due_back')]
      return textField({
        name,
        label,
        type: 'date',
        value: formValues.get(name) ?? '',
        error: errors[name],
        required: true,
      })
    }
    case 'fields':
      return editableFieldInputs(request, errors)
  }
}

/** Renders each field as an input for the new value, with a checkbox that chooses whether to change the field. */
function editableFieldInputs({ texts, resource, form: formValues }: RecordRequest, errors: AnswerErrors): string {
  const chosen = new Set(formValues.getAll(fieldChoiceName))
  const rows = editableFields(resource).map(([name, field]) => {
    const checked = chosen.has(name) ? ' checked' : ''
    const label = texts.bulkEdits.change(fieldLabel(texts, name))
    const value = formValues.getAll(name).at(-1) ?? ('default' in field ? field.default : null)
    const box = html`<input type="checkbox" name="${fieldChoiceName}" value="${name}" aria-label="${label}"!${checked}>`
    return html`<div class="change-field">!${box}!${input(texts, { name, field, value, error: errors[name] })}</div>`
  })
  return rows.join('')
}
