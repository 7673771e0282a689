// The first step of an import: a form with the resource and the file. The page also lists the latest imports.

import { html } from 'ghtml'
import { importDraftOperations } from '../../../domain/imports/draft-operations.ts'
import { receiveDraft } from '../../../domain/imports/drafts.ts'
import { NotText } from '../../../domain/imports/file/encodings.ts'
import { actorColumns } from '../../../domain/records/changes.ts'
import { Busy } from '../../../engine/database/database.ts'
import { UploadRefused } from '../../../http/upload.ts'
import { InvalidCsv } from '../../../lib/csv.ts'
import { Problem } from '../../../problem.ts'
import { actorNames } from '../../components/activity/change-list.ts'
import { stateBadge } from '../../components/badge.ts'
import { showTime } from '../../components/days.ts'
import { errorSummary, selectField, submitButton } from '../../components/forms/forms.ts'
import { labelColumns, table } from '../../components/lists/table.ts'
import { buttonRow, section } from '../../components/sections.ts'
import { formatNumber, ownText, resourceTexts, type Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { callerOf } from './commands.ts'
import { importUrl, shortenCell, steps } from './page-parts.ts'

const shownImports = 10

export async function startPage(request: TenantRequest, fault?: string, status = 422): Promise<PageResponse> {
  const { texts, deps, tenant } = request
  const imports = await deps.engine.run(tenant, importDraftOperations.listRecentImports, {
    limit: shownImports,
    userId: request.session.user.id,
  })
  const actors = imports.map(({ actor }) => actorColumns(actor))
  const nameOf = await actorNames(request, actors)
  const { resource, file, author, created, rows: rowCount, state, recent } = texts.imports
  const rows = imports.map((each) => [
    html`<a href="${importUrl(request, each.id)}">${resourceTexts(texts, each.resource).many}</a>`,
    html`<bdi>${shortenCell(each.fileName ?? '')}</bdi>`,
    html`<bdi>${nameOf(actorColumns(each.actor))}</bdi>`,
    showTime(texts, each.created_at),
    html`${formatNumber(texts, each.rows)}`,
    stateBadge(each.state, ownText(texts.imports.states, each.state) ?? each.state),
  ])
  const head = labelColumns(resource, file, author, created, rowCount, state)
  const list = rows.length === 0 ? '' : section(recent, table({ head, rows, name: 'records' }))
  const body = html`!${steps(request, 0)}<p class="lead">${texts.imports.intro}</p>
!${errorSummary(fault)}
!${uploadForm(request)}
!${list}`
  return { kind: 'page', title: texts.layout.import, body, status: fault === undefined ? 200 : status }
}

/** The file is the last field, so that the server checks the CSRF token before it reads the file. */
function uploadForm({ texts, resources, baseParams, query, form, csrfToken, deps }: TenantRequest): string {
  const { resource, file, fileHint, upload } = texts.imports
  const kinds = resources.map(({ name }) => [name, resourceTexts(texts, name).many] as const)
  const choices = [['', texts.imports.byTitles] as const, ...kinds]
  const value = form.get('resource') ?? query.get('resource') ?? ''
  const action = pageUrl('import.php', baseParams)
  return html`<form method="post" action="${action}" enctype="multipart/form-data" novalidate>
<input type="hidden" name="form_token" value="${csrfToken}">
!${selectField({ name: 'resource', label: resource, choices, value })}
<div class="field"><label for="file">${file}</label>
<input id="file" name="file" type="file" accept=".csv,.tsv,.txt,text/csv,text/plain" aria-describedby="file-hint">
<p class="hint" id="file-hint">${fileHint(limitOf(texts, deps.config.IMPORT_LIMIT_BYTES))}</p></div>
!${buttonRow(submitButton(upload, { kind: 'main' }))}
</form>`
}

function limitOf(texts: Texts, bytes: number): string {
  return formatNumber(texts, Math.floor((bytes / 2 ** 20) * 10) / 10)
}

/** Stores the file as a draft, and redirects to the page that assigns its columns. */
export async function uploadFile(request: TenantRequest): Promise<PageResponse> {
  const { deps, tenant, form, resources, texts, file, fileName, baseParams } = request
  const resource = form.get('resource') || null
  if (resource !== null && !resources.some(({ name }) => name === resource)) throw new PageError(400, 'bad_request')
  if (!file) return startPage(request, texts.imports.faults.no_file)
  try {
    await using upload = deps.uploads.expect(file, tenant.id)
    const source = await upload.receive()
    const { too_large } = texts.imports.faults
    if (!source) return await startPage(request, too_large(limitOf(texts, deps.config.IMPORT_LIMIT_BYTES)), 413)
    const draft = { source, resource, caller: callerOf(request), name: fileName }
    const receive = () => receiveDraft(deps.engine, request, draft, deps.now)
    const id = await upload.check(() => deps.jobs.schedule(tenant, receive))
    return redirectTo('import.php', { ...baseParams, id })
  } catch (error) {
    if (error instanceof UploadRefused && error.reason === 'disk')
      return startPage(request, texts.imports.faults.disk, 503)
    if (error instanceof Busy) return startPage(request, texts.imports.faults.busy, 503)
    return startPage(request, faultOf(texts, error))
  }
}

/** Returns the error message for a file that is not text or not valid CSV. Rethrows every other error. */
function faultOf(texts: Texts, error: unknown): string {
  const cause = error instanceof Problem ? error.cause : undefined
  const { faults } = texts.imports
  if (cause instanceof NotText) return faults[cause.reason]
  if (!(cause instanceof InvalidCsv)) throw error
  const { row, column = 1 } = cause.place
  const [rowNumber, columnNumber] = [formatNumber(texts, row), formatNumber(texts, column)]
  switch (cause.reason) {
    case 'no_header':
    case 'many_rows':
      return faults[cause.reason]
    case 'long_title':
      return faults.long_title(columnNumber)
    case 'long_cell':
      return faults.long_cell(rowNumber, columnNumber)
    default:
      return faults[cause.reason](rowNumber)
  }
}
