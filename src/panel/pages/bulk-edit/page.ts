// /bulk_edit.php: changes or exports many records at once. The list page submits the ticked rows. If the user has
// selected all matching records, it submits the filters instead. The next page asks for the values that the edit
// requires. A preview shows which records would change, and which cannot be changed. Nothing changes before the user
// confirms.

import { bulkEditOperations } from '../../../domain/bulk/operations.ts'
import type { ListQuery, Position } from '../../../domain/lists/query.ts'
import { newChangeSet } from '../../../domain/records/changes.ts'
import { errorSummary } from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import { formatNumber, resourceTexts } from '../../i18n/index.ts'
import { toLocalizedRequest, toRecordRequest } from '../../requests/authorize.ts'
import { requireNumber } from '../../requests/read-number.ts'
import type { RecordRequest, SignedInRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { exportUrl } from '../lists/export.ts'
import { readPanelListRequest } from '../records/queries.ts'
import { listLink, showJob, submitJob } from './job.ts'
import { selectedName, selectedParam } from './selection-form.ts'
import { type BulkTask, findTask, hasForm, toEdit } from './tasks.ts'

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
  const filter = form.get('filter') ?? ''
  const back = new URLSearchParams(form.get('back') ?? '')
  back.set(selectedName, selectedParam(form))
  if (task.kind === 'export' && form.has('all'))
    return { kind: 'redirect', to: exportUrl(request, filterParameters(filter)) }
  const selection = await readSelection(request)
  if (selection === 'too many')
    return refusedSelectionPage(request, texts.bulkEdits.tooMany(formatNumber(texts, maxSelected)), back.toString())
  const { ids } = selection
  if (ids.length === 0) return refusedSelectionPage(request, texts.bulkEdits.nothingSelected, back.toString())
  if (task.kind === 'export') return { kind: 'redirect', to: exportUrl(request, { 'id[in]': ids.join(',') }) }
  const job = await createDraftJob(request, task, selection)
  return redirectTo('bulk_edit.php', { ...baseParams, job, back: back.toString() })
}

/** The page for an empty or too large selection. `back`: the list's parameters. */
function refusedSelectionPage(request: RecordRequest, reason: string, back: string): PageResponse {
  const { texts, resource, query } = request
  const withBack = { ...request, query: new URLSearchParams([...query, ['back', back]]) }
  const body = errorSummary(reason) + buttonRow(listLink(withBack))
  return { kind: 'page', title: resourceTexts(texts, resource.name).many, body, status: 422 }
}

/** A job changes at most this many records, so that an undo can revert all its changes. */
const maxSelected = 100_000

/** `seq`: the sequence number of the newest change before the ids were read; null for ticked rows. */
type Selection = { ids: number[]; seq: number | null }

/** Returns the ids of the ticked rows, or of all records that match the list's filters. */
async function readSelection(request: RecordRequest): Promise<Selection | 'too many'> {
  const { form } = request
  if (form.has('all')) return selectMatching(request, form.get('filter') ?? '')
  const ids = [...new Set(form.getAll('id').map(requireNumber))].toSorted((one, other) => one - other)
  return { ids, seq: null }
}

/** One query reads this many ids, in a few milliseconds. */
const pageSize = 1000

/** Returns the ids of all matching records, in ascending order. Throws a Problem for invalid parameters. */
async function selectMatching(request: RecordRequest, filter: string): Promise<Selection | 'too many'> {
  const { deps, tenant, resource } = request
  const params = filterParameters(filter)
  const { cursor: _, ...listRequest } = readPanelListRequest(request, params, resource)
  const list = {
    ...listRequest,
    sort: { field: 'id', isDescending: false },
    limit: pageSize,
    includes: {},
    withTotal: false,
  }
  const selected: Selection = { ids: [], seq: null }
  let after: Position | null = null
  do {
    const query: ListQuery = { ...list, after, timeoutMs: deps.listTimeoutMs }
    const page = await deps.engine.run(tenant, bulkEditOperations.selectIds, { resource: resource.name, query })
    selected.ids.push(...page.ids)
    selected.seq ??= page.seq
    if (selected.ids.length > maxSelected) return 'too many'
    after = page.next
  } while (after !== null)
  return selected
}

/** Returns only those list parameters that determine which records match. */
function filterParameters(filter: string): Record<string, string> {
  const otherNames = ['sort', 'cursor', 'limit', 'total', 'include', 'tenant', 'resource', 'notice', 'view', 'columns']
  return Object.fromEntries([...new URLSearchParams(filter)].filter(([name]) => !otherNames.includes(name)))
}

const idsPerOperation = 10_000

/** Stores the selection as a draft job. If the task has no questions, the job starts at once. Returns the job's id. */
async function createDraftJob(request: RecordRequest, task: BulkTask, { ids, seq }: Selection): Promise<number> {
  const { deps, tenant, resource, session, requestId } = request
  const now = deps.now()
  const origin = { actor: { userId: session.user.id }, requestId, changeSet: newChangeSet(now) }
  const input = { resource: resource.name, task: task.name, selected: ids.length, seq, origin }
  return deps.jobs.schedule(tenant, async () => {
    const id = await deps.engine.run(tenant, bulkEditOperations.draftBulkEdit, { input, now: now.toISOString() })
    for (let index = 0; index < ids.length; index += idsPerOperation)
      await deps.engine.run(tenant, bulkEditOperations.addToBulkEdit, {
        id,
        ids: ids.slice(index, index + idsPerOperation),
      })
    if (!hasForm(task)) {
      const command = { action: 'choose', edit: toEdit(resource, task, {}) } as const
      await deps.engine.run(tenant, bulkEditOperations.commandBulkEdit, { id, command, now: now.toISOString() })
    }
    return id
  })
}
