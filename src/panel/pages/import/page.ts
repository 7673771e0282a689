// /import.php: uploads a CSV file, assigns its columns, checks it and imports it. The query, the form and the import's
// state decide which of these steps a request performs.

import { Readable } from 'node:stream'
import { html } from 'ghtml'
import { type Field, resourceNamed } from '../../../domain/declarations/resource.ts'
import { type ImportDraft, importDraftOperations } from '../../../domain/imports/draft-operations.ts'
import { textOf } from '../../../domain/imports/file/cells.ts'
import { importOperations } from '../../../domain/imports/operations.ts'
import type { ImportReport, ReportedColumn } from '../../../domain/imports/report.ts'
import { type FailedRowsLayout, failedRowsCsv } from '../../../domain/imports/rows/failed-rows.ts'
import { submitButton } from '../../components/forms/forms.ts'
import { liveProgress, progressElement, refreshSeconds } from '../../components/progress.ts'
import { formatNumber } from '../../i18n/index.ts'
import { toLocalizedRequest } from '../../requests/authorize.ts'
import { readIdParameter } from '../../requests/read-number.ts'
import type { SignedInRequest, TenantRequest } from '../../requests/request.ts'
import { findAction } from '../../requests/submit.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { answerColumns, answerValues, askValues } from './answers.ts'
import { askColumns } from './columns.ts'
import { changeKind, discardDraft, discardImport, forgetMapping, keepAnswers, runImport } from './commands.ts'
import { buttonForm, countList, errorSentence, headingOf, importUrl, steps } from './page-parts.ts'
import { reportPage } from './report.ts'
import { startPage, uploadFile } from './start.ts'

export async function showImports(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequest(request, 'write')
  const { query } = tenantRequest
  const id = readIdParameter(query)
  if (id === null) return startPage(tenantRequest)
  const draft = await findDraft(tenantRequest, id)
  const step = query.get('step')
  if (draft && step === 'values') return askValues(tenantRequest, draft)
  if (draft && (step !== null || !draft.isChecked)) return askColumns(tenantRequest, draft)
  const report = await requireImport(tenantRequest, id)
  if (query.has('format')) return failedRows(tenantRequest, report)
  // panel.js replaces the progress by this fragment, which is empty after the job has finished.
  if (query.has('progress'))
    return { kind: 'fragment', body: isInProgress(report) ? progress(tenantRequest, report) : '' }
  if (isInProgress(report)) return progressPage(tenantRequest, report)
  const canAnswer = (draft ?? (await findDraft(tenantRequest, id))) !== null // the check may have ended in between
  return reportPage(tenantRequest, report, canAnswer)
}

const actions = { run: runImport, discard: discardImport, keep: keepAnswers }

export async function submitImports(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequest(request, 'write')
  const { query, form } = tenantRequest
  const id = readIdParameter(query)
  if (id === null) return uploadFile(tenantRequest)
  const draft = await findDraft(tenantRequest, id)
  const step = form.has('discard') ? 'discard' : form.get('step')
  if (draft && !draft.isChecked && step === 'discard') return discardDraft(tenantRequest, id)
  if (draft && form.has('forget')) return forgetMapping(tenantRequest, draft)
  if (draft && step === 'columns' && isOtherKind(form, draft)) return changeKind(tenantRequest, draft)
  if (draft && step === 'columns') return answerColumns(tenantRequest, draft)
  if (draft && step === 'values') return answerValues(tenantRequest, draft)
  const report = await requireImport(tenantRequest, id)
  const action = findAction(request, actions)
  if (action) return action(tenantRequest, report)
  return redirectTo('import.php', { ...tenantRequest.baseParams, id }) // the user submitted a draft's form twice
}

/** Whether the user has changed what the file contains. */
function isOtherKind(form: URLSearchParams, { resource }: ImportDraft): boolean {
  return form.has('changeResource') || (form.get('resource') ?? resource) !== resource
}

/** Returns the import if the user can answer its questions. */
function findDraft({ deps, tenant, session }: TenantRequest, id: number): Promise<ImportDraft | null> {
  const input = { id, now: deps.now().toISOString(), userId: session.user.id }
  return deps.engine.run(tenant, importDraftOperations.findImportDraft, input)
}

/** Throws a PageError with 404 if there is no such import. */
async function requireImport({ deps, tenant }: TenantRequest, id: number): Promise<ImportReport> {
  const report = await deps.engine.run(tenant, importOperations.findImport, { id })
  if (!report) throw new PageError(404, 'not_found')
  return report
}

/** Returns the same rows as the API, for a spreadsheet, with the errors in the user's language. */
function failedRows({ deps, tenant, texts, resources }: TenantRequest, report: ImportReport): PageResponse {
  const { id, columns } = report
  const resource = resourceNamed(resources, report.resource)
  const isText = ({ field }: ReportedColumn) => holdsText(resource.fields[field ?? ''])
  const describe: FailedRowsLayout['describe'] = ({ column: index, ...error }, { cells }) => {
    const column = index === null ? undefined : columns[index]
    const cell = column && { ...column, text: textOf(cells, index!) }
    return errorSentence(texts, resource, { ...error, column: column?.title ?? null, cell })
  }
  const layout = { texts: new Set(columns.flatMap((column, index) => (isText(column) ? [index] : []))), describe }
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="import-${id}-failed-rows.csv"`,
  }
  return { kind: 'file', body: Readable.from(failedRowsCsv(deps.engine, tenant, id, layout)), headers }
}

/** Whether a spreadsheet may read the field's values as something else. A column without a field may hold anything. */
function holdsText(field: Field | undefined): boolean {
  return field === undefined || ['text', 'email', 'reference'].includes(field.kind)
}

function isInProgress({ state }: ImportReport): boolean {
  return state === 'checking' || state === 'running'
}

function progressPage(request: TenantRequest, report: ImportReport): PageResponse {
  const { texts } = request
  const { id, state, mode } = report
  const isRunning = state === 'running'
  const { running, checking, checkingAgain, cancelRun, cancelRunHelp, discard, reload } = texts.imports
  const intro = isRunning ? running : mode === 'dry_run' ? checking : checkingAgain
  const url = importUrl(request, id)
  const fragmentUrl = importUrl(request, id, { progress: 1 })
  const body = html`!${steps(request, isRunning ? 4 : 3)}<p class="lead">${intro}</p>
!${liveProgress(url, fragmentUrl, progress(request, report), reload)}
!${buttonForm(request, id, submitButton(isRunning ? cancelRun : discard, { name: 'discard' }))}
!${isRunning ? html`<p class="hint">${cancelRunHelp}</p>` : ''}`
  return { kind: 'page', title: headingOf(request, report), body, refreshSeconds }
}

function progress({ texts }: TenantRequest, report: ImportReport): string {
  const [processed, total] = [report.processed, report.rows].map((count) => formatNumber(texts, count))
  const label = texts.imports.progress(processed!, total!)
  return html`!${progressElement(label, report.processed, report.rows)}
!${countList(texts, report)}`
}
