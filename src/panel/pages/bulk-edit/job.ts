// /bulk_edit.php?job=…: edits many records. A job first checks the records and, once the user has confirmed, applies
// the edit. The job's state decides which page is shown.

import { html } from 'ghtml'
import type { BulkEditCommand, BulkEditReport } from '../../../domain/bulk/job-operations.ts'
import { newChangeSet } from '../../../domain/records/changes.ts'
import { form, submitButton } from '../../components/forms/forms.ts'
import { liveProgress, progressBar, refreshSeconds } from '../../components/progress.ts'
import { buttonRow, emptyState } from '../../components/sections.ts'
import { formatNumber } from '../../i18n/index.ts'
import { readId } from '../../requests/read-number.ts'
import { findAction } from '../../requests/submit.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { type RecordRequest, toRecordRequest } from '../records/request.ts'
import { withChosenRecords } from '../search/choices.ts'
import { choosersOf, readAnswers } from './answers.ts'
import { askPage } from './ask.ts'
import { applyButton, countList, previewBody, refusedList } from './preview.ts'
import { resultBody } from './result.ts'
import { findTask, type Task, taskTitle, toEdit } from './tasks.ts'
import { listUrl } from './urls.ts'

type Job = { report: BulkEditReport; task: Task }

export async function showJob(originalRequest: RecordRequest): Promise<PageResponse> {
  const { request, report, task } = await requireJob(originalRequest)
  const job = { report, task }
  if (request.query.has('progress')) {
    return { kind: 'fragment', body: isInProgress(report) ? progress(request, report) : '' }
  }
  switch (report.state) {
    case 'draft':
      return showQuestions(request, job)
    case 'checking':
    case 'running':
      return progressPage(request, job)
    case 'checked':
      return checkedPage(request, job)
    default:
      return resultPage(request, job)
  }
}

const actions = { discard, run }

export async function submitJob(originalRequest: RecordRequest): Promise<PageResponse> {
  const { request, report, task } = await requireJob(originalRequest)
  const action = findAction(request, actions)
  if (action) return action(request, report)
  if (report.state === 'draft') return submitAnswers(request, { report, task })
  return { kind: 'redirect', to: jobUrl(request, report.id) }
}

async function discard(request: RecordRequest, { id, state }: BulkEditReport): Promise<PageResponse> {
  await runCommand(request, id, { action: 'discard' })
  return { kind: 'redirect', to: state === 'running' ? jobUrl(request, id) : listUrl(request) }
}

async function run(request: RecordRequest, { id }: BulkEditReport): Promise<PageResponse> {
  const { deps, session, requestId } = request
  const origin = { actor: { userId: session.user.id }, requestId, changeSet: newChangeSet(deps.now()) }
  await runCommand(request, id, { action: 'run', origin })
  return { kind: 'redirect', to: jobUrl(request, id) }
}

async function submitAnswers(submittedRequest: RecordRequest, job: Job): Promise<PageResponse> {
  const { task, report } = job
  if (submittedRequest.form.has('find')) return showQuestions(submittedRequest, job)
  const { request, errors } = await withChosenRecords(submittedRequest, choosersOf(task))
  if (Object.keys(errors).length > 0) return showQuestions(request, job, errors)
  const answered = await readAnswers(request, task, request.form)
  if ('errors' in answered) return showQuestions(request, job, answered.errors)
  await runCommand(request, report.id, { action: 'choose', edit: toEdit(request.resource, task, answered.answers) })
  return { kind: 'redirect', to: jobUrl(request, report.id) }
}

/** Returns the job, and the request with the job's resource. Throws a PageError if there is no such job. */
async function requireJob(request: RecordRequest): Promise<Job & { request: RecordRequest }> {
  const { deps, tenant, query } = request
  const id = readId(query, 'job')
  const report = id === null ? null : await deps.storage.run(tenant, 'findBulkEdit', { id })
  if (!report) throw new PageError(404, 'not_found')
  const recordRequest = toRecordRequest(request, report.resource)
  const task = findTask(recordRequest.resource, report.task)
  if (!task) throw new PageError(404, 'not_found')
  return { request: recordRequest, report, task }
}

async function runCommand({ deps, tenant }: RecordRequest, id: number, command: BulkEditCommand): Promise<void> {
  const now = deps.now().toISOString()
  await deps.jobs.schedule(tenant, () => deps.storage.run(tenant, 'commandBulkEdit', { id, command, now }))
}

function jobUrl({ baseParams, query }: RecordRequest, job: number, more: Record<string, number> = {}): string {
  return pageUrl('bulk_edit.php', { ...baseParams, job, back: query.get('back'), ...more })
}

function titleOf(request: RecordRequest, { report, task }: Job): string {
  return taskTitle(request, task, report.selected)
}

async function showQuestions(request: RecordRequest, job: Job, errors = {}): Promise<PageResponse> {
  const { report, task } = job
  const { texts } = request
  const cancel = submitButton(texts.bulkEdits.discard, { name: 'discard' })
  const action = jobUrl(request, report.id)
  return askPage(request, { task, title: titleOf(request, job), action, cancel, errors })
}

function isInProgress({ state }: BulkEditReport): boolean {
  return state === 'checking' || state === 'running'
}

function progressPage(request: RecordRequest, job: Job): PageResponse {
  const { texts } = request
  const { id, state } = job.report
  const { checking, running, stop, stopHelp, discard, reload } = texts.bulkEdits
  const isRunning = state === 'running'
  const button = submitButton(isRunning ? stop : discard, { name: 'discard' })
  const url = jobUrl(request, id)
  const fragmentUrl = jobUrl(request, id, { progress: 1 })
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
  return html`!${progressBar(label, progress.processed, selected)}
!${countList(texts, progress, when, edit?.action === 'delete')}`
}

/** Shows the preview. The report contains only the ids of the first records, so this also reads their values. */
async function checkedPage(request: RecordRequest, job: Job): Promise<PageResponse> {
  const { deps, tenant } = request
  const { report } = job
  const edit = report.edit!
  const { changed } = await deps.storage.run(tenant, 'previewBulkEdit', { edit, ids: report.first })
  const plan = { counts: report.progress, changed, refused: refusedOf(report) }
  const body = await previewBody(request, edit, plan, confirmForm(request, job))
  return { kind: 'page', title: titleOf(request, job), body }
}

function refusedOf({ refused }: BulkEditReport) {
  return refused.map((each) => ({ ...each, outcome: 'refused' as const, record: null }))
}

function confirmForm(request: RecordRequest, { report, task }: Job): string {
  const { texts } = request
  const { id, progress } = report
  const discard = submitButton(texts.bulkEdits.discard, { name: 'discard' })
  const run = applyButton(request, task, progress.changed, 'run')
  const nothing = progress.changed === 0 ? emptyState(texts.bulkEdits.nothingToDo) : ''
  return nothing + form(request, jobUrl(request, id), buttonRow(...(nothing === '' ? [run] : []), discard))
}

function resultPage(request: RecordRequest, job: Job): PageResponse {
  const { texts } = request
  const { state, progress, change_set: changeSet } = job.report
  const { done, cancelled, failed, undone } = texts.bulkEdits
  const leads: Record<string, string> = { done, cancelled, failed, undone }
  const body = html`<p class="lead">${leads[state] ?? ''}</p>
!${resultBody(request, job.task, progress, state === 'undone' ? null : changeSet)}
!${refusedList(request, refusedOf(job.report), progress.refused)}`
  return { kind: 'page', title: titleOf(request, job), body }
}
