// Asks for what a task requires: a person, a branch, a day, or the fields to change.

import { html } from 'ghtml'
import type { BulkEdit } from '../../../domain/bulk/bulk-edit.ts'
import type { BulkEditReport } from '../../../domain/bulk/operations.ts'
import {
  type Resource,
  stockFieldOf,
  type WritableField,
  writableFields,
} from '../../../domain/declarations/resource.ts'
import { validateChanges } from '../../../domain/fields/validate.ts'
import { errorSummary, form, hiddenField, submitButton } from '../../components/forms/forms.ts'
import { fieldMessage, input } from '../../components/forms/record-inputs.ts'
import { buttonRow } from '../../components/sections.ts'
import { parseAmount } from '../../i18n/conventions.ts'
import { fieldLabel } from '../../i18n/index.ts'
import type { RecordRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import type { Errors } from '../desk/desk-page.ts'
import { questionInputs, readAnswers } from '../desk/questions.ts'
import { asksWhere, readWhere, valuesThere, type WhereAnswer, whereField } from '../desk/where.ts'
import { toInvalidOutcome } from '../records/mutations.ts'
import { applyButton, recordsTable } from './preview.ts'
import { type BulkTask, changingFields, taskQuestions, toEdit } from './tasks.ts'

/** The name of the checkboxes that choose the fields to change. The input for a new value has the field's name. */
const fieldChoiceName = 'change'

/** The name of the hidden field of a form that applies the edit at once, unless some records cannot be changed. */
export const applyName = 'apply'

/** `title`: names the task and the selection. `action`: the URL to which the form is submitted. */
type AskOptions = { task: BulkTask; report: BulkEditReport; title: string; action: string; errors: Errors }

export async function askPage(request: RecordRequest, options: AskOptions): Promise<PageResponse> {
  const { texts } = request
  const { task, report, title, action, errors } = options
  const asksFields = task.kind === 'edit'
  const inputs = asksFields
    ? await fieldInputs(request, errors)
    : await questionInputs(request, taskQuestions(task), errors)
  const hasErrors = Object.keys(errors).length > 0
  const summary = hasErrors ? (errors[fieldChoiceName] ?? texts.records.invalid) : undefined
  const hint = asksFields ? html`<p class="lead">${texts.bulkEdits.chooseFields}</p>` : ''
  const discard = submitButton(texts.imports.discard, { name: 'discard' })
  // If the page lists the whole selection, it is the preview.
  const isPreview = !asksFields && report.state === 'draft' && report.selected === report.changed.length
  const button = isPreview
    ? hiddenField(applyName, '1') + applyButton(request, task, report.selected, { hasFocus: false })
    : submitButton(texts.bulkEdits.toPreview, { kind: 'main' })
  const list = isPreview ? await recordsTable(request, report, changingFields(task)) : ''
  const fields = html`!${hint}<div class="grid">!${inputs}</div>!${buttonRow(button, discard)}`
  const body = errorSummary(summary) + form(request, action, fields, { className: 'record' }) + list
  return { kind: 'page', title, body, status: hasErrors ? 422 : 200 }
}

/** Reads the submitted form. Returns the edit, or the error messages for missing and invalid answers. */
export async function readEdit(request: RecordRequest, task: BulkTask) {
  const { resource } = request
  if (task.kind === 'edit') return readFields(request)
  const { answers, errors } = await readAnswers(request, taskQuestions(task))
  return Object.keys(errors).length > 0 ? { errors } : { edit: toEdit(resource, task, answers) }
}

async function readFields(request: RecordRequest): Promise<{ edit: BulkEdit } | { errors: Errors }> {
  const { texts, resource, form: formValues } = request
  const chosenNames = formValues.getAll(fieldChoiceName)
  const chosen = editableFields(resource).filter(([name]) => chosenNames.includes(name))
  const isPlaced = chosenNames.some((name) => asksWhere(resource, name))
  if (chosen.length === 0 && !isPlaced) return { errors: { [fieldChoiceName]: texts.bulkEdits.noFields } }
  const where = isPlaced ? await readPlace(request, chosenNames.includes('status')) : { values: {}, errors: {} }
  const body = chosen.map(([name, field]) => {
    const text = formValues.getAll(name).at(-1) ?? ''
    return [name, field.kind === 'integer' && field.isAmount ? parseAmount(texts, text) : text]
  })
  if (Object.keys(where.errors).length > 0) return { errors: where.errors }
  try {
    const { values, stockOf } = validateChanges(resource, { ...where.values, ...Object.fromEntries(body) })
    const stock = stockOf?.column === 'id' ? { stockOf: stockOf.value } : {}
    return { edit: { resource: resource.name, action: 'update', values, ...stock } }
  } catch (error) {
    const errors = Object.entries(toInvalidOutcome(error).errors).map(([name, { code }]) => {
      return [name, fieldMessage(texts, resource.fields[name], code, formValues.getAll(name).at(-1))]
    })
    return { errors: Object.fromEntries(errors) }
  }
}

/** `givesStatus`: whether the edit sets the status itself. */
async function readPlace(request: RecordRequest, givesStatus: boolean): Promise<Omit<WhereAnswer, 'isMoved'>> {
  const { values, errors } = await readWhere(request, undefined)
  const { status, ...others } = valuesThere(request, undefined)
  return { values: { ...values, ...others, ...(!givesStatus && { status: status! }) }, errors }
}

/** Renders each field as an input for the new value, with a checkbox that chooses whether to change the field. */
async function fieldInputs(request: RecordRequest, errors: Errors): Promise<string> {
  const { texts, resource, form: formValues } = request
  const rows = editableFields(resource).map(([name, field]) => {
    const value = formValues.getAll(name).at(-1) ?? ('default' in field ? field.default : null)
    return optionalInput(
      request,
      name,
      fieldLabel(texts, name),
      input(texts, { name, field, value, error: errors[name] }),
    )
  })
  return (await placeInput(request, errors)) + rows.join('')
}

function optionalInput({ texts, form }: RecordRequest, name: string, label: string, inputHtml: string): string {
  const checked = form.getAll(fieldChoiceName).includes(name) ? ' checked' : ''
  return html`<div class="change-field"><input type="checkbox" name="${fieldChoiceName}" value="${name}"
 aria-label="${texts.bulkEdits.change(label)}"!${checked}>!${inputHtml}</div>`
}

/** Renders the question where the assets are; empty for other resources. */
async function placeInput(request: RecordRequest, errors: Errors): Promise<string> {
  const { texts, resource, form: formValues } = request
  const { name } = stockFieldOf(resource) ?? {}
  if (name === undefined) return ''
  const draft = { values: { [name]: formValues.get(name) }, formValues: formValues.size > 0 ? formValues : undefined }
  return optionalInput(request, name, texts.recordPages.where.legend, await whereField(request, draft, errors))
}

/** In code points. */
const longestText = 200

/** Fields whose values help users tell records apart, even if the values are not unique. */
const identifyingFields = ['name', 'serial_number', 'code', 'employee_no']

/** Returns the fields that can reasonably have the same value in many records. This excludes long texts, references,
 *  email addresses, and unique or identifying fields. */
function editableFields(resource: Resource): [name: string, field: WritableField][] {
  return writableFields(resource).filter(([name, field]) => {
    const isLong = field.kind === 'text' && field.max > longestText
    const isOther = field.kind === 'reference' || field.kind === 'email' || identifyingFields.includes(name)
    return !isLong && !field.unique && !isOther
  })
}
