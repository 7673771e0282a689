// Renders an import's errors, each with its row and column.

import { html } from 'ghtml'
import type { RowError } from '../../../domain/imports/import.ts'
import { maxFailures } from '../../../domain/imports/import-job.ts'
import type { ImportReport } from '../../../domain/imports/operations.ts'
import { labelColumns, table } from '../../components/lists/table.ts'
import { section } from '../../components/sections.ts'
import { formatNumber, type Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { importUrl, shorten } from './page-parts.ts'

export function errorSection(request: TenantRequest, { id, errors, invalid }: ImportReport): string {
  if (errors.length === 0) return ''
  const { texts } = request
  const { row, column, problem, firstErrors, failedRows, failedRowsKept, failedRowsHelp } = texts.imports
  const rows = errors.map((error) => [
    html`${formatNumber(texts, error.row)}`,
    error.column === null ? '' : html`${shorten(error.column)}`,
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

/** Returns the text for an error code, or the API's English message if the panel has no text for this code. */
export function errorText(texts: Texts, { code, message }: RowError): string {
  const importText = (texts.imports.codes as Record<string, string>)[code]
  return importText ?? (texts.errors as Record<string, string>)[code] ?? message
}
