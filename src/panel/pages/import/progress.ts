// The page for an import that is being checked or applied.

import { html } from 'ghtml'
import type { ImportReport } from '../../../domain/imports/operations.ts'
import { submitButton } from '../../components/forms/forms.ts'
import { liveProgress, progressBar, refreshSeconds } from '../../components/progress.ts'
import { formatNumber } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { buttonForm, countList, headingOf, importUrl, steps } from './page-parts.ts'

export function isInProgress({ state }: ImportReport): boolean {
  return state === 'checking' || state === 'running'
}

export function progressPage(request: TenantRequest, report: ImportReport): PageResponse {
  const { texts } = request
  const { id, state, mode } = report
  const isRunning = state === 'running'
  const { running, checking, checkingAgain, cancelRun, cancelRunHelp, discard, reload } = texts.imports
  const intro = isRunning ? running : mode === 'dry_run' ? checking : checkingAgain
  const url = importUrl(request, id)
  const fragmentUrl = importUrl(request, id, { progress: 1 })
  const body = html`!${steps(request, isRunning ? 3 : 2)}<p class="lead">${intro}</p>
!${liveProgress(url, fragmentUrl, progress(request, report), reload)}
!${buttonForm(request, id, submitButton(isRunning ? cancelRun : discard, { name: 'discard' }))}
!${isRunning ? html`<p class="hint">${cancelRunHelp}</p>` : ''}`
  return { kind: 'page', title: headingOf(request, report), body, refreshSeconds }
}

/** Returns the progress as the fragment that panel.js expects. After the job has finished, the body is empty. */
export function progressFragment(request: TenantRequest, report: ImportReport): PageResponse {
  return { kind: 'fragment', body: isInProgress(report) ? progress(request, report) : '' }
}

function progress({ texts }: TenantRequest, report: ImportReport): string {
  const [processed, total] = [report.processed, report.rows].map((count) => formatNumber(texts, count))
  const label = texts.imports.progress(processed!, total!)
  return html`!${progressBar(label, report.processed, report.rows)}
!${countList(texts, report)}`
}
