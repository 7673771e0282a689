// /bulk_edit.php: changes or exports many records at once. The list page submits the ticked rows. If the user has
// selected all matching records, it submits the filters instead. The next page asks for the values that the edit
// requires. A preview shows which records would change, and which cannot be changed. Nothing changes before the user
// confirms.

import { errorSummary } from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import { formatNumber, resourceTexts } from '../../i18n/index.ts'
import { toLocalizedRequest } from '../../requests/authorize.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { exportUrl } from '../lists/export.ts'
import { type RecordRequest, toRecordRequest } from '../records/request.ts'
import { listLink, showJob, submitJob } from './job.ts'
import { createDraftJob, filterParameters, maxSelected, readSelection } from './selection.ts'
import { findTask } from './tasks.ts'

export async function showBulkEdit(request: SignedInRequest): Promise<PageResponse> {
  const recordRequest = await openBulkEdit(request)
  if (request.query.has('job')) return showJob(recordRequest)
  return redirectTo('records.php', recordRequest.baseParams)
}

export async function submitBulkEdit(request: SignedInRequest): Promise<PageResponse> {
  const recordRequest = await openBulkEdit(request)
  return request.query.has('job') ? submitJob(recordRequest) : startBulkEdit(recordRequest)
}

async function openBulkEdit(request: SignedInRequest): Promise<RecordRequest> {
  return toRecordRequest(await toLocalizedRequest(request, 'write'), request.query.get('resource') ?? 'hardware')
}

/** Handles the list page's form, which submits the selection and the task. */
async function startBulkEdit(request: RecordRequest): Promise<PageResponse> {
  const { form, baseParams, texts } = request
  const task = findTask(request, form.get('do'))
  if (!task) throw new PageError(400, 'bad_request')
  const back = form.get('filter') ?? ''
  if (task.kind === 'export' && form.has('all'))
    return { kind: 'redirect', to: exportUrl(request, filterParameters(back)) }
  const selection = await readSelection(request)
  if (selection === 'too many')
    return refusedSelectionPage(request, texts.bulkEdits.tooMany(formatNumber(texts, maxSelected)), back)
  const { ids } = selection
  if (ids.length === 0) return refusedSelectionPage(request, texts.bulkEdits.nothingSelected, back)
  if (task.kind === 'export') return { kind: 'redirect', to: exportUrl(request, { 'id[in]': ids.join(',') }) }
  return redirectTo('bulk_edit.php', { ...baseParams, job: await createDraftJob(request, task, selection), back })
}

/** The page for an empty or too large selection. `back`: the list's parameters. */
function refusedSelectionPage(request: RecordRequest, reason: string, back: string): PageResponse {
  const { texts, resource, query } = request
  const withBack = { ...request, query: new URLSearchParams([...query, ['back', back]]) }
  const body = errorSummary(reason) + buttonRow(listLink(withBack))
  return { kind: 'page', title: resourceTexts(texts, resource.name).many, body, status: 422 }
}
