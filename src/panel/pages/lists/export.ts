// Exports the whole list as a file for a spreadsheet: with the columns that the page shows, with the columns for
// accounting, or with all fields. Each file can be imported again: its last columns identify the record.

import { hasSession } from '../../../accounts/sign-in/sessions.ts'
import { columns } from '../../../domain/declarations/resource.ts'
import { type ExportColumn, includesFor, withStock } from '../../../domain/exports/columns.ts'
import { openExport } from '../../../domain/exports/export-stream.ts'
import { readExportRequest } from '../../../domain/exports/request.ts'
import { currencyColumn, type SheetFormat } from '../../../domain/exports/sheet.ts'
import { exportFile } from '../../../domain/exports/write.ts'
import { decimalsOf } from '../../../domain/fields/text-formats.ts'
import { titleName } from '../../../domain/lists/request/options.ts'
import type { TenantLocation } from '../../../engine/tenant-databases.ts'
import { Problem } from '../../../problem.ts'
import { currencyOf, dayOf } from '../../i18n/conventions.ts'
import { choiceLabel } from '../../i18n/index.ts'
import { toTenantRequest } from '../../requests/authorize.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { columnsOf } from './chosen-columns.ts'
import { chosenColumns, columnLabel, financeColumns } from './columns.ts'
import { apiParams, type ListState, readState } from './state.ts'

/** The columns of a file. */
type Layout = 'shown' | 'finance' | 'all'

/** The export stops early if the user signs out or loses access to the tenant. */
export async function exportList(request: RecordRequest): Promise<PageResponse> {
  const { deps, texts, resource, resources, query } = request
  const now = deps.now()
  const state = readState(request)
  const kind = readLayout(query.get('sheet'))
  const delimiter = query.get('delimiter')
  const params = {
    ...apiParams(request, state),
    format: query.get('format') ?? '',
    for: 'spreadsheet',
    ...(delimiter && { delimiter }),
    fields: fieldsOf(request, state, kind).join(','),
  }
  const toDay = (moment: Date) => dayOf(texts, moment)
  const exportRequest = readExportRequest(params, { resource, resources, now, toDay, canRead: () => true })
  const { layout: given, list } = exportRequest
  const layout = given.format === 'csv' ? toSheet(request, given, kind) : given
  const selection = 'columns' in layout ? { ...list, includes: includesFor(layout.columns) } : list
  const body = await openExport(deps, resource.name, { layout, list: selection }, () => locateAgain(request))
  return { kind: 'file', body, headers: exportFile(fileName(request, state, kind), layout) }
}

function readLayout(sheet: string | null): Layout {
  return sheet === null ? 'all' : sheet === 'finance' ? 'finance' : 'shown'
}

/** Returns a name that tells a resource's files apart: by their columns, and by the day that they show. */
function fileName({ texts, resource, deps }: RecordRequest, { asOf }: ListState, kind: Layout): string {
  const columns = { all: [], finance: ['finance'], shown: ['list'] }[kind]
  const day = asOf === null ? dayOf(texts, deps.now()) : `as-of-${asOf.replaceAll(':', '-')}`
  return [resource.name, ...columns, day].join('-')
}

/** What identifies a record when its row is imported again: the last columns of every file, titled with these names. */
const identifying = ['id', 'created_at']

/** Returns the names of the columns to export, each once. */
function fieldsOf(request: RecordRequest, state: ListState, kind: Layout): string[] {
  const { resource } = request
  const isReference = (name: string) => resource.fields[name]?.kind === 'reference'
  const names = {
    finance: () => financeColumns,
    all: () => columns(resource).map((name) => (isReference(name) ? titleName(name) : name)),
    shown: () => shownFields(request, state),
  }[kind]()
  return [...names.filter((name) => !identifying.includes(name)), ...identifying]
}

/** Returns the fields of the columns that the list shows, without counts. Beside the first one, also the field that the
 *  list shows in its place if it is empty. */
function shownFields(request: RecordRequest, state: ListState): string[] {
  const shown = chosenColumns(request, columnsOf(request, state)).filter(({ counted }) => counted === undefined)
  const [title, ...others] = shown.map(({ name }) => name)
  const { detail } = request.presentation
  const next = request.resource.title?.[1]
  return [...new Set([title!, ...(detail ? [detail] : []), ...(next ? [next] : []), ...others])]
}

/** Returns the layout of a spreadsheet export. The file has titles, words for choices and booleans, the branch of
 *  a stock in a column of its own, and a currency column after each amount. */
function toSheet<Columns extends { columns: readonly ExportColumn[]; delimiter: string }>(
  { texts, resource, resources }: RecordRequest,
  layout: Columns,
  kind: Layout,
): Columns & { sheet: SheetFormat } {
  const isAmount = (name: string) => {
    const field = resource.fields[name]
    return field?.kind === 'integer' && field.isAmount === true
  }
  const all = layout.columns.flatMap((column) =>
    isAmount(column.name) ? [column, currencyColumn] : withStock(column, resource, resources),
  )
  const currency = currencyOf(texts)
  const sheet: SheetFormat = {
    titles: all.map(({ name }) => (identifying.includes(name) ? name : columnLabel(texts, name))),
    words: wordsOf(texts, resource),
    amounts: all.map(({ name }) => name).filter(isAmount),
    currency,
    decimals: decimalsOf(currency),
    point: layout.delimiter === ';' ? ',' : '.',
    total: kind === 'all' ? null : texts.lists.total,
  }
  return { ...layout, columns: all, sheet }
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
