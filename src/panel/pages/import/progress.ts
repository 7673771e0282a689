// The page for an import that is being checked or applied. panel.js updates the progress. If scripts are disabled, the
// browser reloads the page every few seconds.

import { html } from 'ghtml'
import type { ImportReport } from '../../../storage/operations/imports.ts'
import { submitButton } from '../../components/forms.ts'
import { formatNumber } from '../../i18n/index.ts'
import type { TenantRequest } from '../../request.ts'
import type { PageResponse } from '../../responses.ts'
import { buttonForm, countList, headingOf, importUrl, steps } from './show-import.ts'

const refreshSeconds = 3

export function progressPage(request: TenantRequest, report: ImportReport): PageResponse {
  const { texts } = request
  const { id, state, mode } = report
  const isRunning = state === 'running'
  const { running, checking, checkingAgain, cancelRun, cancelRunHelp, discard, reload } = texts.imports
  const intro = isRunning ? running : mode === 'dry_run' ? checking : checkingAgain
  const body = html`!${steps(request, isRunning ? 3 : 2)}<p class="lead">${intro}</p>
<div data-progress="${importUrl(request, id, { progress: 1 })}">!${progress(request, report)}</div>
<noscript><p><a href="${importUrl(request, id)}">${reload}</a></p></noscript>
!${buttonForm(request, id, submitButton(isRunning ? cancelRun : discard, { name: 'discard' }))}
!${isRunning ? html`<p class="hint">${cancelRunHelp}</p>` : ''}`
  return { kind: 'page', title: headingOf(request, report), body, refreshSeconds }
}

/** Returns the progress in the form that panel.js expects. After the job has finished, the body is empty. */
export function progressFragment(request: TenantRequest, report: ImportReport): PageResponse {
  const isInProgress = report.state === 'checking' || report.state === 'running'
  return { kind: 'fragment', body: isInProgress ? progress(request, report) : '' }
}

function progress({ texts }: TenantRequest, report: ImportReport): string {
  const [processed, total] = [report.processed, report.rows].map((count) => formatNumber(texts, count))
  const label = texts.imports.progress(processed!, total!)
  const max = Math.max(1, report.rows)
  return html`<p><progress max="${max}" value="${report.processed}" aria-label="${label}"></progress>
${label}</p>
!${countList(texts, report)}`
}
