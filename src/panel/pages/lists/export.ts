// Exports the whole list as a file: with the columns that the page shows, with the columns for accounting, or with all
// fields as in the API.

import { hasSession } from '../../../accounts/sign-in/sessions.ts'
import { type ExportColumn, includesFor, withKind } from '../../../domain/exports/columns.ts'
import { openExport } from '../../../domain/exports/export-stream.ts'
import { readExportRequest } from '../../../domain/exports/request.ts'
import { currencyColumn, type SheetFormat } from '../../../domain/exports/sheet.ts'
import { exportFile } from '../../../domain/exports/write.ts'
import { decimalsOf } from '../../../domain/fields/text-formats.ts'
import type { TenantLocation } from '../../../engine/tenant-databases.ts'
import { Problem } from '../../../problem.ts'
import { currencyOf, dayOf } from '../../i18n/conventions.ts'
import { choiceLabel } from '../../i18n/index.ts'
import { toTenantRequest } from '../../requests/authorize.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import type { RecordRequest } from '../records/request.ts'
import { chosenColumns, columnLabel, columnsOf, financeColumns } from './columns.ts'
import { addressParams, apiParams, type ListState, readState } from './state.ts'

/** The export stops early if the user signs out or loses access to the tenant. */
export async function exportList(request: RecordRequest): Promise<PageResponse> {
  const { deps, texts, resource, resources, query } = request
  const now = deps.now()
  const state = readState(request)
  const sheet = query.get('sheet')
  const delimiter = query.get('delimiter')
  const params = {
    ...apiParams(request, state),
    format: query.get('format') ?? '',
    for: 'spreadsheet',
    ...(delimiter && { delimiter }),
    ...(sheet && { fields: fieldsOf(request, state, sheet).join(',') }),
  }
  const toDay = (moment: Date) => dayOf(texts, moment)
  const exportRequest = readExportRequest(params, { resource, resources, now, toDay, canRead: () => true })
  const { layout: given, list } = exportRequest
  const layout = sheet && given.format === 'csv' ? toSheet(request, given, sheet) : given
  const selection = 'columns' in layout ? { ...list, includes: includesFor(layout.columns) } : list
  const body = await openExport(deps, resource.name, { layout, list: selection }, () => locateAgain(request))
  return { kind: 'file', body, headers: exportFile(fileName(request, state, sheet), layout) }
}

/** Returns a name that tells a resource's files apart: by their columns, and by the day that they show. */
function fileName({ texts, resource, deps }: RecordRequest, { asOf }: ListState, sheet: string | null): string {
  const columns = sheet === null ? [] : [sheet === 'finance' ? 'finance' : 'list']
  const day = asOf === null ? dayOf(texts, deps.now()) : `as-of-${asOf.replaceAll(':', '-')}`
  return [resource.name, ...columns, day].join('-')
}

/** Returns the names of the columns to export: with the detail that the list shows beside the title, but without
 *  counts. */
function fieldsOf(request: RecordRequest, state: ListState, sheet: string): string[] {
  if (sheet === 'finance') return financeColumns
  const { detail } = request.presentation
  const columns = chosenColumns(request, columnsOf(request, state))
  const [title, ...others] = columns.filter(({ counted }) => counted === undefined).map(({ name }) => name)
  return [title!, ...(detail && !others.includes(detail) ? [detail] : []), ...others]
}

/** Returns the layout of a spreadsheet export. The file has column titles, words for choices, booleans and stock, and a
 *  currency column after each amount. For the list as shown, the first column contains what the list calls a record. */
function toSheet<Layout extends { columns: readonly ExportColumn[]; delimiter: string }>(
  { texts, resource, resources }: RecordRequest,
  layout: Layout,
  kind: string,
): Layout & { sheet: SheetFormat } {
  const isAmount = (name: string) => {
    const field = resource.fields[name]
    return field?.kind === 'integer' && field.isAmount === true
  }
  const readable = layout.columns.map((column) => withKind(column, resources))
  const columns = readable.flatMap((column) => (isAmount(column.name) ? [column, currencyColumn] : [column]))
  const currency = currencyOf(texts)
  const sheet: SheetFormat = {
    titles: columns.map(({ name }) => columnLabel(texts, name)),
    titleFields: kind === 'finance' ? [] : (resource.title ?? []),
    inStock: texts.lists.inStock,
    words: wordsOf(texts, resource),
    amounts: columns.map(({ name }) => name).filter(isAmount),
    currency,
    decimals: decimalsOf(currency),
    point: layout.delimiter === ';' ? ',' : '.',
    total: texts.lists.total,
  }
  return { ...layout, columns, sheet }
}

function wordsOf(texts: RecordRequest['texts'], { fields }: RecordRequest['resource']): SheetFormat['words'] {
  const words = Object.entries(fields).flatMap(([name, field]) => {
    if (field.kind === 'boolean') return [[name, { true: texts.yes, false: texts.no }] as const]
    if (field.kind !== 'choice') return []
    return [[name, Object.fromEntries(field.of.map((each) => [each, choiceLabel(texts, each)]))] as const]
  })
  return Object.fromEntries(words)
}

/** Returns the tenant's current location. Throws a Problem if the user has lost access. A PageError would not help,
 *  because the response has already started. */
async function locateAgain(request: RecordRequest): Promise<TenantLocation> {
  const { deps, session } = request
  if (!(await hasSession(deps.catalog, session.id))) throw new Problem('unauthorized')
  const { tenant } = await toTenantRequest(request).catch((cause: Error) => {
    throw cause instanceof PageError ? new Problem('forbidden') : cause
  })
  return tenant
}

/** Returns the URL of a list's file, with the delimiter that spreadsheets in the user's language expect. `params`: the
 *  list's parameters. If `sheet` is not among these, the file contains all fields. */
export function exportUrl({ texts, baseParams }: RecordRequest, params: Record<string, string>): string {
  return pageUrl('records.php', { ...baseParams, ...params, format: 'csv', delimiter: texts.csvDelimiter })
}

export function listFileUrl(request: RecordRequest, state: ListState): string {
  return exportUrl(request, addressParams({ ...state, columns: null }))
}

/** Returns the URL of the file with the columns that the list shows. */
export function sheetUrl(request: RecordRequest, state: ListState): string {
  return exportUrl(request, { ...addressParams(state), sheet: 'shown' })
}

export function financeUrl(request: RecordRequest, state: ListState): string {
  return exportUrl(request, { ...addressParams({ ...state, columns: null }), sheet: 'finance' })
}
