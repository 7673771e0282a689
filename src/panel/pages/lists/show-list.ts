// A list page: the views, the filters, the table, the totals, and links to the list's other pages.

import { html } from 'ghtml'
import { type BidirectionalPage, readBidirectionalPage } from '../../../domain/lists/list-page.ts'
import { filtersOf } from '../../../domain/lists/request/options.ts'
import { recordOperations } from '../../../domain/records/operations.ts'
import { TooSlow } from '../../../engine/database/database.ts'
import { Problem } from '../../../problem.ts'
import { errorSummary } from '../../components/forms/forms.ts'
import type { PanelRecord } from '../../components/record-fields.ts'
import { emptyState } from '../../components/sections.ts'
import { dayOf } from '../../i18n/conventions.ts'
import { formatNumber, resourceTexts, type Texts } from '../../i18n/index.ts'
import type { RecordRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { selectionForm } from '../bulk-edit/selection-form.ts'
import { formatPastMoment, futureNote, pastNote, toPastRequest } from '../records/past.ts'
import { readList, readPanelListRequest } from '../records/queries.ts'
import { columnsOf, keepColumns } from './chosen-columns.ts'
import { type CellContext, chosenColumns, type ListColumn } from './columns.ts'
import { withTypedRecords } from './filters.ts'
import { readViews, viewTabs } from './saved-views.ts'
import {
  apiParams,
  hasFormLeftovers,
  type ListState,
  ownSortOf,
  placeParams,
  readState,
  standardSize,
  stateUrl,
} from './state.ts'
import { listTable, pagination } from './table.ts'
import { addLink, toolbar } from './toolbar.ts'
import { showTotals } from './totals.ts'

type Page = BidirectionalPage<PanelRecord>

export async function showList(request: RecordRequest): Promise<PageResponse> {
  const { texts, resource, query } = request
  const state = await withTypedRecords(request, readState(request))
  if (query.has('keep_columns')) return keepColumns(request, state)
  if (hasFormLeftovers(request)) return { kind: 'redirect', to: stateUrl(request, state) }
  const columns = availableColumns(chosenColumns(request, columnsOf(request, state)), state)
  const reading = readFittingPage(request, state, columns).catch(toRefusal)
  const surroundings = Promise.all([
    readViews(request),
    toolbar(request, state, columns),
    countWithoutFilters(request, state),
  ])
  const [found, [views, tools, totalCount]] = await Promise.all([reading, surroundings])
  const { many } = resourceTexts(texts, resource.name)
  const compose = (count: string, list: string) =>
    html`<div class="toolbar"><h1>!${many}!${count}</h1>!${tools.search}!${tools.actions}</div>
!${viewTabs(request, views, state)}
<div id="list">!${tools.filters}!${momentNote(request, state)}!${list}</div>`
  const result = { kind: 'page', title: many, bodyHasHeading: true } as const
  if (found instanceof Problem)
    return { ...result, body: compose('', errorSummary(texts.lists.invalid)), status: found.status }
  const { page, table } = found
  if (page.total === 0 && isUnfiltered(state)) return { ...result, body: emptyList(request, state) }
  const count = page.total === null ? '' : html` <small>${countOf(texts, page.total, totalCount)}</small>`
  const list = page.records.length === 0 ? noMatch(request) : table
  const below = (await showTotals(request, state, page)) + pagination(request, state, page)
  return { ...result, body: compose(count, list + below) }
}

function isUnfiltered({ filters, asOf }: ListState): boolean {
  return Object.keys(filters).length === 0 && asOf === null
}

/** Returns how many records the list has without its filters. Returns null if the list has no filters, if it shows a
 *  past day, or if counting takes too long. */
async function countWithoutFilters(request: RecordRequest, state: ListState): Promise<number | null> {
  if (isUnfiltered(state) || state.asOf !== null) return null
  const params = { ...apiParams(request, { ...state, filters: {}, sort: 'id' }), limit: '1', total: 'true' }
  try {
    return (await readList(request, request.resource, params)).total
  } catch (error) {
    if (error instanceof TooSlow) return null
    throw error
  }
}

/** Returns a text such as “23 of 10,000”. */
function countOf(texts: Texts, found: number, all: number | null): string {
  const shown = formatNumber(texts, found)
  return all === null || all < found ? shown : texts.lists.foundOf(shown, formatNumber(texts, all))
}

/** A list for a past day has no counts, and cannot be sorted by the titles of referenced records. */
function availableColumns(columns: ListColumn[], { asOf }: ListState): ListColumn[] {
  if (asOf === null) return columns
  const shown = columns.filter(({ counted }) => counted === undefined)
  return shown.map(({ sort, ...column }) => (sort?.endsWith('_name') ? column : { ...column, ...(sort && { sort }) }))
}

/** A table with up to 50 rows has at most this many bytes of HTML, enough for a dozen columns. The limit grows with the
 *  page size. */
const maxTableBytes = 75_000

/** Reads a page and renders its table. If long texts make the table too large, tries again with half as many
 *  records. */
async function readFittingPage(
  request: RecordRequest,
  state: ListState,
  columns: readonly ListColumn[],
  limit: number = state.limit,
): Promise<{ page: Page; table: string }> {
  const page = await readPage(request, state, limit)
  const table = await tableOf(request, state, page, columns)
  const maxBytes = maxTableBytes * Math.max(1, limit / standardSize)
  const fewer = Math.floor(page.records.length / 2)
  if (Buffer.byteLength(table) <= maxBytes || fewer === 0) return { page, table }
  return readFittingPage(request, state, columns, fewer)
}

/** Reads a page and the number of matching records. If counting takes too long, reads only the page. */
async function readPage(request: RecordRequest, state: ListState, limit: number): Promise<Page> {
  const { deps, tenant, resource, resources } = request
  const include = filtersOf(resource, resources)
    .includes.map(({ name }) => name)
    .join(',')
  const read = (total: string) => {
    const params = { ...apiParams(request, state), limit: String(limit), total, ...(include && { include }) }
    const cursor = state.before === null ? state.cursor : null
    const sort = ownSortOf(request, state)
    const listRequest = { ...readPanelListRequest(request, params, resource), ...(sort && { sort }) }
    return readBidirectionalPage<PanelRecord>(deps, tenant, resource.name, {
      ...listRequest,
      cursor,
      before: state.before,
    })
  }
  return read('true').catch((error) => {
    if (error instanceof TooSlow) return read('false')
    throw error
  })
}

/** A URL can contain invalid filters. The page then shows an error message, but otherwise stays usable. */
function toRefusal(error: unknown): Problem {
  if (error instanceof Problem && error.code === 'invalid_request') return error
  throw error
}

async function tableOf(
  request: RecordRequest,
  state: ListState,
  { records, total }: Page,
  columns: readonly ListColumn[],
): Promise<string> {
  const counts = await readCounts(request, columns, records)
  const shownRequest = state.asOf === null ? request : toPastRequest(request, state.asOf)
  const today = dayOf(request.texts, shownRequest.deps.now())
  const table = listTable({ request: shownRequest, counts, today }, state, columns, records)
  return selectionForm(request, table, { params: apiParams(request, state), place: placeParams(state), total })
}

async function readCounts(
  { deps, tenant, resource }: RecordRequest,
  columns: readonly ListColumn[],
  records: readonly PanelRecord[],
): Promise<CellContext['counts']> {
  if (records.length === 0) return {}
  const ids = records.map(({ id }) => id)
  const counts = columns
    .flatMap(({ counted }) => counted ?? [])
    .map(async (of) => {
      const pairs = await deps.engine.run(tenant, recordOperations.countOf, { resource: resource.name, of, ids })
      return [of, new Map(pairs)] as const
    })
  return Object.fromEntries(await Promise.all(counts))
}

/** Renders a note saying which past day or time the list shows, or that the URL names a future one. */
function momentNote(request: RecordRequest, state: ListState): string {
  const { texts } = request
  const url = stateUrl(request, { ...state, asOf: null })
  const { asOfNote, asOfFuture } = texts.lists
  if (state.asOf !== null) return pastNote(texts, asOfNote(formatPastMoment(texts, state.asOf)), url)
  return futureNote(request, asOfFuture, url)
}

/** The list of a resource without records. It has nothing to search, filter or export. */
function emptyList(request: RecordRequest, state: ListState): string {
  const { texts, resource, baseParams, canWrite, presentation } = request
  const { many, empty, emptyHelp } = resourceTexts(texts, resource.name)
  const load = html`<a class="button" href="${pageUrl('import.php', baseParams)}">${texts.imports.link}</a>`
  const [help, actions] = canWrite ? [emptyHelp, addLink(request) + load] : ['', '']
  const message = emptyState(empty, help, actions, presentation.listIcon)
  return html`<div class="toolbar"><h1>${many}</h1></div>!${momentNote(request, state)}!${message}`
}

/** Renders a message instead of a table without rows. */
function noMatch({ texts, resource, baseParams }: RecordRequest): string {
  const clear = html`<a class="button" href="${pageUrl('records.php', baseParams)}">${texts.records.clear}</a>`
  return emptyState(resourceTexts(texts, resource.name).noMatch, '', clear, 'search')
}
