// The page for an import that has been checked or has finished: its counts, its errors, and the next actions.

import { html } from 'ghtml'
import { importDraftOperations } from '../../../domain/imports/draft-operations.ts'
import { type Assumption, encodingName } from '../../../domain/imports/file/check-file.ts'
import type { ImportView } from '../../../domain/imports/import.ts'
import { maxFailures } from '../../../domain/imports/import-job.ts'
import type { ImportReport } from '../../../domain/imports/report.ts'
import { hiddenField, submitButton } from '../../components/forms/forms.ts'
import { labelColumns, table } from '../../components/lists/table.ts'
import { buttonRow, relatedList, section } from '../../components/sections.ts'
import { formatNumber, resourceTexts, type Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import {
  buttonForm,
  countList,
  errorText,
  headingOf,
  importUrl,
  shortenCell,
  steps,
  targetLabel,
} from './page-parts.ts'
import { previewTable } from './preview.ts'

const previewedRows = 10

export async function reportPage(request: TenantRequest, report: ImportReport): Promise<PageResponse> {
  const { deps, tenant, texts } = request
  const { id, state } = report
  const now = deps.now().toISOString()
  const preview =
    state === 'checked'
      ? await deps.engine.run(tenant, importDraftOperations.previewImport, { id, limit: previewedRows, now })
      : null
  const canRun = preview !== null
  const firstRows =
    preview && preview.rows.length > 0
      ? section(texts.imports.preview, await previewTable(request, report.resource, preview))
      : ''
  const body = html`!${steps(request, state === 'checked' ? 2 : 3)}
<p class="lead">${leadOf(request, report, canRun)}</p>
!${countList(texts, report)}
!${state === 'checked' ? checkedActions(request, report, canRun) : endedActions(request, report)}
!${assumptionList(texts, report)}
!${firstRows}
!${errorSection(request, report)}`
  return { kind: 'page', title: headingOf(request, report), body }
}

function leadOf({ texts }: TenantRequest, report: ImportReport, canRun: boolean): string {
  const { state, created, updated, invalid, rows } = report
  const labels = texts.imports
  if (state === 'failed') return created + updated > 0 ? labels.failedKept : labels.failed
  if (state === 'done' || state === 'cancelled' || state === 'undone') return labels[state]
  if (!canRun) return labels.expired
  if (rows === 0) return labels.empty
  if (invalid === rows) return labels.none
  if (invalid > 0) return labels.partly
  return created + updated === 0 ? labels.nothingToDo : labels.ready
}

/** If some rows have errors, the user can import only the valid rows. Otherwise the import is all or nothing: if a row
 *  fails later, the whole import is reverted. */
function checkedActions(request: TenantRequest, report: ImportReport, canRun: boolean): string {
  const { texts } = request
  const { id, created, updated, invalid } = report
  const { run, runValid, changeColumns, discard } = texts.imports
  const count = created + updated
  const label = (invalid > 0 ? runValid : run)(count)
  const mode = hiddenField('run', invalid > 0 ? 'valid_rows' : 'all_or_nothing')
  return html`<div class="actions">
!${canRun && count > 0 ? buttonForm(request, id, submitButton(label, { kind: 'main' }), mode) : ''}
!${canRun ? buttonForm(request, id, submitButton(changeColumns, { name: 'columns' })) : ''}
!${buttonForm(request, id, submitButton(discard, { name: 'discard' }))}
</div>`
}

/** Links to the page for a new import, to this import's change set, and to the resource's list. */
function endedActions({ texts, baseParams }: TenantRequest, { resource, change_set }: ImportReport): string {
  const { another, changes } = texts.imports
  const { tenant } = baseParams
  const link = (path: string, parameters: Record<string, string>, label: string) =>
    html`<a class="button" href="${pageUrl(path, { tenant, ...parameters })}">${label}</a>`
  const listUrl = pageUrl('records.php', { tenant, resource })
  return buttonRow(
    link('import.php', { resource }, another),
    change_set === null ? '' : link('activity.php', { change_set }, changes),
    html`<a href="${listUrl}">${resourceTexts(texts, resource).all}</a>`,
  )
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
  const sentence = texts.imports.assumed[code]
  switch (code) {
    case 'encoding':
      return sentence(encodingName(value))
    case 'delimiter':
      return sentence(texts.imports.delimiters[value === ';' ? 'semicolon' : value === '\t' ? 'tab' : 'comma'])
    case 'no_match_column':
      return sentence(targetLabel(texts, { name: value }))
    case 'ignored_columns': {
      const names = columns.slice(0, maxNamed).map((title) => shortenCell(title))
      return sentence([...names, ...(columns.length > maxNamed ? ['…'] : [])].join(', '))
    }
    default:
      return sentence(shortenCell(column))
  }
}

/** Lists the import's errors, each with its row and column. */
function errorSection(request: TenantRequest, { id, errors, invalid }: ImportReport): string {
  if (errors.length === 0) return ''
  const { texts } = request
  const { row, column, problem, firstErrors, failedRows, failedRowsKept, failedRowsHelp } = texts.imports
  const rows = errors.map((error) => [
    html`${formatNumber(texts, error.row)}`,
    error.column === null ? '' : html`${shortenCell(error.column)}`,
    html`${errorText(texts, error)}`,
  ])
  const hasMore = new Set(errors.map((each) => each.row)).size < invalid
  const hint = hasMore ? html`<p>${firstErrors(formatNumber(texts, errors.length))}</p>` : ''
  const kept = invalid > maxFailures ? ` ${failedRowsKept(formatNumber(texts, maxFailures))}` : ''
  const link = html`<p><a href="${importUrl(request, id, { format: 'csv' })}" download>${failedRows}</a><br>
<small>${failedRowsHelp}${kept}</small></p>`
  return section(
    texts.imports.errors,
    html`!${hint}!${link}!${table({ head: labelColumns(row, column, problem), rows, name: 'records' })}`,
  )
}
