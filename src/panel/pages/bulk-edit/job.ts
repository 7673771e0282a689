// /bulk_edit.php?job=…: edits the selected records. A job first checks the records and, once the user has confirmed,
// applies the edit. The job's state decides which page is shown.

import { html } from 'ghtml'
import { type BulkEditCommand, type BulkEditReport, bulkEditOperations } from '../../../domain/bulk/operations.ts'
import { stockFieldOf } from '../../../domain/declarations/resource.ts'
import { newChangeSet } from '../../../domain/records/changes.ts'
import { form, submitButton, undoForm } from '../../components/forms/forms.ts'
import { liveProgress, progressElement, refreshSeconds } from '../../components/progress.ts'
import { buttonRow, emptyState } from '../../components/sections.ts'
import { formatNumber } from '../../i18n/index.ts'
import { toRecordRequest } from '../../requests/authorize.ts'
import { readIdParameter } from '../../requests/read-number.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { findAction } from '../../requests/submit.ts'
import { continued, PageError, type PageResponse } from '../../responses.ts'
import { changeSetUrl, pageUrl } from '../../urls.ts'
import { choosersFor, fillsDate } from '../desk/questions.ts'
import { whereChoosers } from '../desk/where.ts'
import { confirmationLink } from '../hand-over/links.ts'
import { type ChooserField, withChosenRecords } from '../search/choices.ts'
import { applyName, askPage, readEdit } from './ask.ts'
import { applyButton, editCounts, previewBody, refusedList, resultText } from './preview.ts'
import { firstSelectedId } from './selection-form.ts'
import { type BulkTask, findTask, hasForm, taskQuestions, taskTitle } from './tasks.ts'

type Job = { report: BulkEditReport; task: BulkTask }

export async function showJob(originalRequest: RecordRequest): Promise<PageResponse> {
  const { request, ...job } = await requireJob(originalRequest)
  const { report } = job
  const isInProgress = report.state === 'checking' || report.state === 'running'
  if (request.query.has('progress')) return { kind: 'fragment', body: isInProgress ? progress(request, report) : '' }
  if (isInProgress) return progressPage(request, job)
  if (report.state === 'draft') return showQuestions(request, job)
  return report.state === 'checked' ? checkedPage(request, job) : resultPage(request, job)
}

const actions = { discard, run }

export async function submitJob(originalRequest: RecordRequest): Promise<PageResponse> {
  const { request, ...job } = await requireJob(originalRequest)
  const action = findAction(request, actions)
  if (action) return action(request, job)
  const { state } = job.report
  const canChoose = (state === 'draft' || state === 'checked') && hasForm(job.task)
  return canChoose ? submitAnswers(request, job) : { kind: 'redirect', to: jobUrl(request, job) }
}

async function discard(request: RecordRequest, job: Job): Promise<PageResponse> {
  await runCommand(request, job, { action: 'discard' })
  return { kind: 'redirect', to: job.report.state === 'running' ? jobUrl(request, job) : listUrl(request) }
}

/** Applies the edit. If it is finished, confirms it on the list; otherwise, the job's page shows the progress. */
async function run(request: RecordRequest, job: Job): Promise<PageResponse> {
  const { deps, session, requestId } = request
  const origin = { actor: { userId: session.user.id }, requestId, changeSet: newChangeSet(deps.now()) }
  await runCommand(request, job, { action: 'run', origin })
  const { report, task } = await requireJob(request)
  const { state, progress, change_set: changeSet } = report
  if (state !== 'done' || changeSet === null) return { kind: 'redirect', to: jobUrl(request, job) }
  const text = resultText(request, task, progress)
  const toast = { text, changeSet, ...confirmationLink(request, task.name, changeSet) }
  return { kind: 'redirect', to: listUrl(request), toast }
}

async function submitAnswers(submittedRequest: RecordRequest, job: Job): Promise<PageResponse> {
  const { task } = job
  if (submittedRequest.form.has('find') || fillsDate(submittedRequest.form))
    return continued(await showQuestions(submittedRequest, job))
  const { request, errors } = await withChosenRecords(submittedRequest, choosersOf(submittedRequest, task))
  if (Object.keys(errors).length > 0) return showQuestions(request, job, errors)
  const answered = await readEdit(request, task)
  if ('errors' in answered) return showQuestions(request, job, answered.errors)
  await runCommand(request, job, { action: 'choose', edit: answered.edit })
  if (!request.form.has(applyName)) return { kind: 'redirect', to: jobUrl(request, job) }
  const checked = await requireJob(request)
  const { state, progress } = checked.report
  const isPossible = state === 'checked' && progress.changed > 0 && progress.refused === 0
  return isPossible ? run(request, checked) : { kind: 'redirect', to: jobUrl(request, job) }
}

function choosersOf({ resource, form: formValues }: RecordRequest, task: BulkTask): ChooserField[] {
  if (task.kind === 'edit' && formValues.has('where') && stockFieldOf(resource)) return whereChoosers(formValues)
  return choosersFor(taskQuestions(task))
}

/** Returns the job, and the request with the job's resource. Throws a PageError if there is no such job. */
async function requireJob(request: RecordRequest): Promise<Job & { request: RecordRequest }> {
  const { deps, tenant, query } = request
  const id = readIdParameter(query, 'job')
  const report = id === null ? null : await deps.engine.run(tenant, bulkEditOperations.findBulkEdit, { id })
  if (!report) throw new PageError(404, 'not_found')
  const recordRequest = toRecordRequest(request, report.resource)
  const task = findTask(recordRequest, report.task)
  if (!task) throw new PageError(404, 'not_found')
  return { request: recordRequest, report, task }
}

async function runCommand({ deps, tenant }: RecordRequest, { report }: Job, command: BulkEditCommand): Promise<void> {
  const { id } = report
  const now = deps.now().toISOString()
  await deps.jobs.schedule(tenant, () =>
    deps.engine.run(tenant, bulkEditOperations.commandBulkEdit, { id, command, now }),
  )
}

function jobUrl({ baseParams, query }: RecordRequest, { report }: Job, more: Record<string, number> = {}): string {
  return pageUrl('bulk_edit.php', { ...baseParams, job: report.id, back: query.get('back'), ...more })
}

/** Returns the URL of the list in which the user selected the records. It ticks them again and leads to the first. */
function listUrl({ query, baseParams }: RecordRequest): string {
  const reserved = ['tenant', 'resource', 'notice']
  const params = [...new URLSearchParams(query.get('back') ?? '')].filter(([name]) => !reserved.includes(name))
  return `${pageUrl('records.php', { ...baseParams, ...Object.fromEntries(params) })}#${firstSelectedId}`
}

export function listLink(request: RecordRequest): string {
  return html`<a href="${listUrl(request)}">${request.texts.bulkEdits.back}</a>`
}

function titleOf(request: RecordRequest, { report, task }: Job): string {
  return taskTitle(request, task, report.selected)
}

async function showQuestions(request: RecordRequest, job: Job, errors = {}): Promise<PageResponse> {
  return askPage(request, { ...job, title: titleOf(request, job), action: jobUrl(request, job), errors })
}

function progressPage(request: RecordRequest, job: Job): PageResponse {
  const { checking, running, stop, stopHelp } = request.texts.bulkEdits
  const { discard, reload } = request.texts.imports
  const isRunning = job.report.state === 'running'
  const button = submitButton(isRunning ? stop : discard, { name: 'discard' })
  const url = jobUrl(request, job)
  const fragmentUrl = jobUrl(request, job, { progress: 1 })
  const body = html`<p class="lead">${isRunning ? running : checking}</p>
!${liveProgress(url, fragmentUrl, progress(request, job.report), reload)}
!${form(request, url, buttonRow(button))}
!${isRunning ? html`<p class="hint">${stopHelp}</p>` : ''}`
  return { kind: 'page', title: titleOf(request, job), body, refreshSeconds }
}

function progress({ texts }: RecordRequest, { state, selected, progress, edit }: BulkEditReport): string {
  const [processed, total] = [progress.processed, selected].map((count) => formatNumber(texts, count))
  const label = texts.bulkEdits.progress(processed!, total!)
  const when = state === 'running' ? 'after' : 'before'
  return html`!${progressElement(label, progress.processed, selected)}
!${editCounts(texts, progress, when, edit?.action === 'delete')}`
}

async function checkedPage(request: RecordRequest, job: Job): Promise<PageResponse> {
  const body = await previewBody(request, job.report, confirmForm(request, job))
  return { kind: 'page', title: titleOf(request, job), body }
}

function confirmForm(request: RecordRequest, job: Job): string {
  const { texts } = request
  const { changed } = job.report.progress
  const discard = submitButton(texts.imports.discard, { name: 'discard' })
  const buttons = changed === 0 ? [discard] : [applyButton(request, job.task, changed, { name: 'run' }), discard]
  const nothing = changed === 0 ? emptyState(texts.bulkEdits.nothingToDo) : ''
  return nothing + form(request, jobUrl(request, job), buttonRow(...buttons))
}

function resultPage(request: RecordRequest, job: Job): PageResponse {
  const { texts } = request
  const { report, task } = job
  const { state, progress, change_set: changeSet } = report
  const { done, cancelled, failed, undone } = texts.bulkEdits
  const leads: Record<string, string> = { done, cancelled, failed, undone }
  const body = html`<p class="lead">${leads[state] ?? ''}</p>
!${editCounts(texts, progress, 'after', task.kind === 'delete')}
!${changeSet === null || state === 'undone' ? '' : undoPart(request, changeSet)}!${buttonRow(listLink(request))}
!${refusedList(request, report)}`
  return { kind: 'page', title: titleOf(request, job), body }
}

/** Renders the same undo form as the change set's page, and a link to that page. */
function undoPart(request: RecordRequest, changeSet: string): string {
  const { texts } = request
  const changes = html`<a href="${changeSetUrl(request, changeSet)}">${texts.bulkEdits.changes}</a>`
  return undoForm(request, changeSet, buttonRow(submitButton(texts.layout.undo), changes))
}
