// The page for an import that has been checked or has finished: its counts, its errors, and the next actions.

import { html } from 'ghtml'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { type ImportPreview, importDraftOperations } from '../../../domain/imports/draft-operations.ts'
import { type Assumption, encodingName } from '../../../domain/imports/file/assumptions.ts'
import { textOf } from '../../../domain/imports/file/cells.ts'
import type { ImportView } from '../../../domain/imports/import.ts'
import { maxFailures } from '../../../domain/imports/import-job.ts'
import { importOperations } from '../../../domain/imports/operations.ts'
import type { ImportReport, ReportedErrors } from '../../../domain/imports/report.ts'
import type { Tone } from '../../components/badge.ts'
import { form, hiddenField, submitButton, textField, undoForm } from '../../components/forms/forms.ts'
import { buttonRow, relatedList, section } from '../../components/sections.ts'
import { formatNumber, resourceTexts, type Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { listUrl, pageUrl } from '../../urls.ts'
import {
  buttonForm,
  countList,
  errorSentence,
  type FailedCell,
  headingOf,
  importUrl,
  shortenCell,
  steps,
  targetLabel,
} from './page-parts.ts'
import { amountLines, previewedRecords } from './preview.ts'

const previewedRows = 10

/** `canAnswer`: the user can answer the questions again. */
export async function reportPage(
  request: TenantRequest,
  report: ImportReport,
  canAnswer: boolean,
): Promise<PageResponse> {
  const { deps, tenant, texts } = request
  const { id, state } = report
  const now = deps.now().toISOString()
  const preview =
    state === 'checked'
      ? await deps.engine.run(tenant, importDraftOperations.previewImport, { id, limit: previewedRows, now })
      : null
  const canRun = preview !== null
  const body = html`!${steps(request, state === 'checked' ? 3 : 4, canAnswer ? id : undefined)}
!${leadOf(request, report, canRun)}
!${countList(texts, report)}
!${preview ? amountLines(request, report.resource, preview) : ''}
!${state === 'checked' ? checkedActions(request, report, { canRun, canAnswer }) : endedActions(request, report)}
!${await errorSection(request, report, canAnswer)}
!${preview ? await previewSection(request, report, preview) : ''}
!${assumptionList(texts, report)}
!${canRun || state === 'done' ? await keepForm(request, report) : ''}`
  return { kind: 'page', title: headingOf(request, report), body }
}

async function previewSection(request: TenantRequest, report: ImportReport, preview: ImportPreview): Promise<string> {
  if (preview.rows.length === 0) return ''
  return section(request.texts.imports.preview, await previewedRecords(request, report.resource, preview))
}

/** Says in a sentence what the import would do or has done. */
function leadOf({ texts }: TenantRequest, report: ImportReport, canRun: boolean): string {
  const { text, tone } = outcomeOf(texts, report, canRun)
  return html`<p class="notice" data-tone="${tone}">${text}</p>`
}

function outcomeOf(
  { imports: labels }: Texts,
  { state, created, updated, invalid, rows }: ImportReport,
  canRun: boolean,
): { text: string; tone: Tone } {
  if (state === 'failed') return { text: created + updated > 0 ? labels.failedKept : labels.failed, tone: 'bad' }
  if (state === 'done') return { text: labels.done, tone: 'ok' }
  if (state === 'cancelled' || state === 'undone') return { text: labels[state], tone: 'warn' }
  if (!canRun) return { text: labels.expired, tone: 'warn' }
  if (rows === 0) return { text: labels.empty, tone: 'warn' }
  if (invalid === rows) return { text: labels.none, tone: 'bad' }
  if (invalid > 0) return { text: labels.partly, tone: 'warn' }
  return created + updated === 0 ? { text: labels.nothingToDo, tone: 'neutral' } : { text: labels.ready, tone: 'ok' }
}

/** If some rows have errors, the user can import only the valid rows. Otherwise the import is all or nothing: if a row
 *  fails later, the whole import is reverted. */
function checkedActions(
  request: TenantRequest,
  report: ImportReport,
  { canRun, canAnswer }: { canRun: boolean; canAnswer: boolean },
): string {
  const { texts } = request
  const { id, created, updated, invalid, finished_at } = report
  const { run, runValid, changeColumns, discard } = texts.imports
  const count = created + updated
  const label = (invalid > 0 ? runValid : run)(count)
  const mode =
    hiddenField('run', invalid > 0 ? 'valid_rows' : 'all_or_nothing') + hiddenField('checked', finished_at ?? '')
  return html`<div class="actions">
!${canRun && count > 0 ? buttonForm(request, id, submitButton(label, { kind: 'main' }), mode) : ''}
!${canAnswer ? html`<a class="button" href="${importUrl(request, id, { step: 'columns' })}">${changeColumns}</a>` : ''}
!${buttonForm(request, id, submitButton(discard, { name: 'discard' }))}
</div>`
}

/** Leads to the new records, to the changes, and to the next file. The changes can be undone at once; the page is then
 *  shown again. */
function endedActions(request: TenantRequest, report: ImportReport): string {
  const { texts, baseParams } = request
  const { id, resource, change_set, created, state } = report
  const { another, changes, newRecords } = texts.imports
  const link = (label: string, path: string, parameters: Record<string, string>) =>
    html`<a class="button" href="${pageUrl(path, { ...baseParams, ...parameters })}">${label}</a>`
  const canUndo = change_set !== null && state !== 'undone'
  const back = hiddenField('back', importUrl(request, id))
  return html`<div class="actions">
!${canUndo && created > 0 ? link(newRecords, 'records.php', { resource, created_in: change_set }) : ''}
!${canUndo ? undoForm(request, change_set, back + submitButton(texts.layout.undo)) : ''}
!${change_set === null ? '' : link(changes, 'activity.php', { change_set })}
!${link(another, 'import.php', { resource })}
<a href="${listUrl(request, resource)}">${resourceTexts(texts, resource).all}</a></div>`
}

/** Offers to keep the answers for further files with the same titles. */
async function keepForm(request: TenantRequest, { id }: ImportReport): Promise<string> {
  const { deps, tenant } = request
  if (!(await deps.engine.run(tenant, importDraftOperations.hasAnswers, { id }))) return ''
  const { keepTitle, keepHint, keepName, keep } = request.texts.imports
  const field = textField({ name: 'keep', label: keepName, hint: keepHint })
  const body = form(request, importUrl(request, id), field + buttonRow(submitButton(keep)))
  return html`<details><summary>${keepTitle}</summary>!${body}</details>`
}

/** At most this many unknown columns are named. */
const maxNamed = 50

/** Lists what the import has assumed about its file. */
function assumptionList(texts: Texts, { assumptions }: ImportView): string {
  if (assumptions.length === 0) return ''
  const items = assumptions.map((each) => html`<li>${sentenceOf(texts, each)}</li>`)
  return html`<details><summary>${texts.imports.assumptions}</summary>!${relatedList(items)}</details>`
}

function sentenceOf(texts: Texts, { code, column = '', columns = [], value = '' }: Assumption): string {
  if (code === 'looked_up_by')
    return texts.imports.assumed[code](shortenCell(column), targetLabel(texts, { name: value }))
  if (code === 'existing_values' || code === 'kept_values')
    return texts.imports.assumed[code](shortenCell(column), formatNumber(texts, Number(value)))
  if (code === 'missing_dates') return texts.imports.assumed[code](shortenCell(column), value)
  const sentence = texts.imports.assumed[code]
  switch (code) {
    case 'encoding':
      return sentence(encodingName(value))
    case 'delimiter':
      return sentence(texts.imports.delimiters[value === ';' ? 'semicolon' : value === '\t' ? 'tab' : 'comma'])
    case 'no_match_column':
      return sentence(targetLabel(texts, { name: value }))
    case 'header_row':
    case 'total_row':
      return sentence(formatNumber(texts, Number(value)))
    case 'damaged_codes':
    case 'odd_characters':
    case 'ignored_columns': {
      const names = columns.slice(0, maxNamed).map((title) => shortenCell(title))
      return sentence([...names, ...(columns.length > maxNamed ? ['…'] : [])].join(', '))
    }
    default:
      return sentence(shortenCell(column))
  }
}

/** Lists the import's errors; equal ones share a line. `canAnswer`: the user can answer the questions again. */
async function errorSection(request: TenantRequest, report: ImportReport, canAnswer: boolean): Promise<string> {
  const { id, summary, invalid } = report
  if (summary.length === 0) return ''
  const { texts, resources } = request
  const resource = resourceNamed(resources, report.resource)
  const { errors, inRows, failedRows, failedRowsKept, failedRowsHelp } = texts.imports
  const cells = await Promise.all(summary.map((group) => firstCell(request, report, group)))
  const items = summary.map((group, at) => {
    const error = { ...group, message: group.message ?? group.code, cell: cells[at] }
    const sentence = errorSentence(texts, resource, error)
    const rows = inRows(group.count, formatNumber(texts, group.first_row))
    return html`<li>${sentence} <small>${rows}</small></li>`
  })
  const kept = invalid > maxFailures ? ` ${failedRowsKept(formatNumber(texts, maxFailures))}` : ''
  const url = importUrl(request, id, { format: 'csv' })
  const link = html`<p><a class="button" href="${url}" download>${failedRows}</a></p>
<p class="hint">${failedRowsHelp}${kept}</p>`
  const again =
    canAnswer && cells.some((cell) => cell?.by)
      ? html`<p>${texts.imports.answerAgain}
<a href="${importUrl(request, id, { step: 'values' })}">${texts.imports.steps[2]}</a></p>`
      : ''
  return section(errors, html`!${relatedList(items)}!${again}!${link}`)
}

/** Returns the cell with the first of equal errors, if a word in it is not known. */
async function firstCell(
  { deps, tenant }: TenantRequest,
  { id, columns }: ImportReport,
  { code, column, first_row }: ReportedErrors,
): Promise<FailedCell | undefined> {
  const index = columns.findIndex(({ title, field }) => field !== null && title === column)
  if (index === -1 || (code !== 'not_in_list' && code !== 'ambiguous')) return undefined
  const input = { id, after: first_row - 1, limit: 1 }
  const page = await deps.engine.run(tenant, importOperations.listImportFailures, input)
  const [failure] = page?.failures ?? []
  return failure?.row === first_row ? { ...columns[index]!, text: textOf(failure.cells, index) } : undefined
}
