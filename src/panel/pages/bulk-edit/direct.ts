// /bulk_edit.php?select=…: edits a few records, whose ids are in the URL. The request that confirms the edit also
// applies it.

import { randomUUID } from 'node:crypto'
import type { BulkEdit } from '../../../domain/bulk/bulk-edit.ts'
import type { EditPreview, EditResult } from '../../../domain/bulk/operations.ts'
import { form, hiddenField } from '../../components/forms/forms.ts'
import { buttonRow, emptyState } from '../../components/sections.ts'
import { changeContextOf, idempotencyKeyOf } from '../../requests/mutation-input.ts'
import { requireNumber } from '../../requests/read-number.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { confirmationLink } from '../hand-over/links.ts'
import type { RecordRequest } from '../records/request.ts'
import { withChosenRecords } from '../search/choices.ts'
import { answerParams, choosersOf, hasAnswers, readAnswers } from './answers.ts'
import { askPage } from './ask.ts'
import { applyButton, previewBody, resultText } from './preview.ts'
import { decodeIds } from './selection.ts'
import { findTask, type Task, taskTitle, toEdit } from './tasks.ts'
import { listLink, listParamsOf } from './urls.ts'

/** The edit that the URL describes. */
type DirectEdit = { task: Task; ids: number[] }

export async function showDirectEdit(request: RecordRequest): Promise<PageResponse> {
  const directEdit = requireDirectEdit(request)
  const { query } = request
  if (!hasAnswers(directEdit.task, query)) return showQuestions(request, directEdit)
  const answered = await readAnswers({ ...request, form: query }, directEdit.task, query)
  if ('errors' in answered) return showQuestions({ ...request, form: query }, directEdit, answered.errors)
  return previewPage(request, directEdit, toEdit(request.resource, directEdit.task, answered.answers))
}

export async function submitDirectEdit(submittedRequest: RecordRequest): Promise<PageResponse> {
  const directEdit = requireDirectEdit(submittedRequest)
  if (submittedRequest.form.has('find')) return showQuestions(submittedRequest, directEdit)
  const { request, errors } = await withChosenRecords(submittedRequest, choosersOf(directEdit.task))
  if (Object.keys(errors).length > 0) return showQuestions(request, directEdit, errors)
  const { form: formValues, query } = request
  const isConfirmed = formValues.has('seq')
  const answered = await readAnswers(request, directEdit.task, isConfirmed ? query : formValues)
  if ('errors' in answered) return showQuestions(request, directEdit, answered.errors)
  if (isConfirmed) return applyEdit(request, directEdit, toEdit(request.resource, directEdit.task, answered.answers))
  const params = new URLSearchParams([...query, ...answerParams(directEdit.task, formValues)])
  return { kind: 'redirect', to: `bulk_edit.php?${params}` }
}

/** Throws a PageError if the URL does not name a task or contains invalid ids. */
function requireDirectEdit({ resource, query }: RecordRequest): DirectEdit {
  const task = findTask(resource, query.get('do'))
  if (!task || task.kind === 'export') throw new PageError(400, 'bad_request')
  return { task, ids: decodeIds(query.get('select') ?? '') }
}

function showQuestions(request: RecordRequest, { task, ids }: DirectEdit, errors = {}): Promise<PageResponse> {
  const action = `bulk_edit.php?${withoutAnswers(request, task)}`
  return askPage(request, {
    task,
    title: taskTitle(request, task, ids.length),
    action,
    cancel: listLink(request),
    errors,
  })
}

/** Returns the URL parameters without the answers. The form submits the answers again. */
function withoutAnswers({ query }: RecordRequest, task: Task): URLSearchParams {
  const names = new Set(answerParams(task, query).map(([name]) => name))
  return new URLSearchParams([...query].filter(([name]) => !names.has(name)))
}

async function previewPage(request: RecordRequest, { task, ids }: DirectEdit, edit: BulkEdit): Promise<PageResponse> {
  const { deps, tenant } = request
  const preview: EditPreview = await deps.storage.run(tenant, 'previewBulkEdit', { edit, ids })
  const body = await previewBody(request, edit, preview, confirmForm(request, task, preview))
  return { kind: 'page', title: taskTitle(request, task, ids.length), body }
}

function confirmForm(request: RecordRequest, task: Task, { counts, seq }: EditPreview): string {
  const { texts, query } = request
  if (counts.changed === 0) return emptyState(texts.bulkEdits.nothingToDo) + buttonRow(listLink(request))
  const button = applyButton(request, task, counts.changed)
  const hidden = hiddenField('once', randomUUID()) + hiddenField('seq', String(seq))
  return form(request, `bulk_edit.php?${query}`, hidden + buttonRow(button, listLink(request)))
}

/** Applies the edit to all records that have not changed since the preview. */
async function applyEdit(request: RecordRequest, { task, ids }: DirectEdit, edit: BulkEdit): Promise<PageResponse> {
  const { deps, tenant, form: formValues, resource, query, baseParams } = request
  const seq = requireNumber(formValues.get('seq'))
  const scope = `${resource.name}:${edit.action === 'delete' ? 'delete' : 'update'}`
  const { status, body } = await deps.storage.run(tenant, 'applyBulkEdit', {
    context: changeContextOf(request),
    idempotency: idempotencyKeyOf(formValues, [scope]),
    request: { edit, ids, seq },
  })
  const result: EditResult = JSON.parse(body)
  if (status !== 200 || result.change_set === null) return { kind: 'redirect', to: `bulk_edit.php?${query}` }
  const text = resultText(request, task, result)
  const link = confirmationLink(request, task.name, result.change_set)
  const toast = { text, changeSet: result.change_set, ...link }
  return { ...redirectTo('records.php', { ...baseParams, ...listParamsOf(request) }), toast }
}
