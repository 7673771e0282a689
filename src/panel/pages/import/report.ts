// The page for an import that has been checked or has finished: its counts, its errors, and the next actions.

import { html } from 'ghtml'
import { importDraftOperations } from '../../../domain/imports/draft-operations.ts'
import type { ImportReport } from '../../../domain/imports/operations.ts'
import { hiddenField, submitButton } from '../../components/forms/forms.ts'
import { buttonRow, section } from '../../components/sections.ts'
import { resourceTexts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { assumptionList } from './assumptions.ts'
import { errorSection } from './errors.ts'
import { buttonForm, countList, headingOf, steps } from './page-parts.ts'
import { previewTable } from './preview.ts'

const previewedRows = 10

export async function reportPage(request: TenantRequest, report: ImportReport): Promise<PageResponse> {
  const { deps, tenant, texts } = request
  const { id, state } = report
  const now = deps.now().toISOString()
  const preview =
    state === 'checked'
      ? await deps.storage.run(tenant, importDraftOperations.previewImport, { id, limit: previewedRows, now })
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
