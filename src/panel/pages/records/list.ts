// The list page of a resource: search, filters, sortable columns, pages.

import { html } from 'ghtml'
import type { Field, Resource } from '../../../resources/resource.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { emptyState, pageLinks } from '../../components/sections.ts'
import { type Column, table } from '../../components/table.ts'
import { fieldLabel, formatNumber, resourceTexts } from '../../i18n/index.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { selectBox, selectionForm } from '../bulk-edit/selection-form.ts'
import { exportUrl } from './export.ts'
import { filterForm, hiddenFields, listParams, omit } from './filters.ts'
import { type RecordPage, readList } from './queries.ts'
import type { RecordRequest } from './request.ts'
import { showField } from './show-field.ts'

/** At most this many columns besides the title fit on a screen. */
const maxColumns = 6

export async function showList(request: RecordRequest): Promise<PageResponse> {
  const { texts, resource } = request
  const params = listParams(request)
  const isWhole = !Object.keys(params).some((name) => !['sort', 'cursor'].includes(name))
  const { page, tableHtml } = await readFitting(request, params, isWhole && !params.cursor ? { total: 'true' } : {})
  const { many } = resourceTexts(texts, resource.name)
  const count = page.total === null ? '' : html` <small>${formatNumber(texts, page.total)}</small>`
  const { total } = page
  const list =
    page.records.length === 0 ? noRecords(request, isWhole) : selectionForm(request, tableHtml, { params, total })
  const body = html`<div class="tools">!${searchForm(request, params)}
<a class="button" href="${exportUrl(request, params)}" download>${texts.records.download}</a>
!${request.canWrite ? addLinks(request) : ''}</div>
!${filterForm(request, params)}
!${list}
!${paging(request, params, page)}`
  return { kind: 'page', title: many, heading: html`${many}!${count}`, body }
}

function addLinks({ texts, resource, baseParams }: RecordRequest): string {
  const { add } = resourceTexts(texts, resource.name)
  return html`<a class="button" href="${pageUrl('import.php', baseParams)}">${texts.imports.link}</a>
<a class="button" href="${pageUrl('records.php', { ...baseParams, new: 1 })}">${add}</a>`
}

/** Maximum size of the rendered table. */
const maxTableBytes = 70_000

/** Reads a page and renders its table. If the table is too large, tries again with half as many records. */
async function readFitting(
  request: RecordRequest,
  params: Record<string, string>,
  options: { total?: 'true'; limit?: string },
): Promise<{ page: RecordPage; tableHtml: string }> {
  const page = await readList(request, request.resource, { ...params, ...options })
  const tableHtml = recordTable(request, params, page.records)
  const limit = Math.floor(page.records.length / 2)
  if (Buffer.byteLength(tableHtml) <= maxTableBytes || limit === 0) return { page, tableHtml }
  return readFitting(request, params, { ...options, limit: String(limit) })
}

/** Without scripts, users apply filters with the button; panel.js applies them on change. */
function searchForm({ texts, resource, baseParams }: RecordRequest, params: Record<string, string>): string {
  const label = resourceTexts(texts, resource.name).search
  return html`<form class="search" role="search" action="records.php">
!${hiddenFields({ ...baseParams, ...omit(params, ['q', 'cursor']) })}
<input type="search" name="q" value="${params.q ?? ''}" aria-label="${label}" placeholder="${label}" autocomplete="off">
<button>${texts.records.search}</button>
</form>`
}

/** Returns the columns after the title, in declaration order: `inList` fields, references and choices. */
function columnsOf({ fields, title = [] }: Resource): [name: string, field: Field][] {
  return Object.entries<Field>(fields)
    .filter(
      ([name, field]) => name !== title[0] && (field.inList || field.kind === 'reference' || field.kind === 'choice'),
    )
    .slice(0, maxColumns)
}

function recordTable(request: RecordRequest, params: Record<string, string>, records: PanelRecord[]): string {
  const { resource } = request
  const columns = columnsOf(resource)
  const names = [resource.title?.[0] ?? 'id', ...columns.map(([name]) => name)]
  const head = names.map((name) => sortColumn(request, params, name))
  const rows = records.map((record) => [
    html`!${selectBox(request, record)}
<a href="${recordUrl(request, resource.name, record.id)}">${titleOf(record, resource.title)}</a>`,
    ...columns.map(([name, field]) => showField(request, record, name, field)),
  ])
  return html`<div class="scroll">!${table({ head, rows, name: 'records' })}</div>`
}

/** A column that sorts by its field; a second click reverses the order. */
function sortColumn({ texts, baseParams }: RecordRequest, params: Record<string, string>, name: string): Column {
  const currentSort = params.sort ?? 'id'
  const sorted = currentSort === name ? 'ascending' : currentSort === `-${name}` ? 'descending' : undefined
  const sort = sorted === 'ascending' ? `-${name}` : name
  const href = pageUrl('records.php', { ...baseParams, ...omit(params, ['cursor']), sort })
  return { label: fieldLabel(texts, name), href, sorted }
}

function paging({ texts, baseParams }: RecordRequest, params: Record<string, string>, { next }: RecordPage): string {
  const first = params.cursor && pageUrl('records.php', { ...baseParams, ...omit(params, ['cursor']) })
  return pageLinks(texts, {
    first,
    next: next === null ? undefined : pageUrl('records.php', { ...baseParams, ...params, cursor: next }),
  })
}

/** The text for an empty list, which depends on whether the resource has no records or none match the filter. */
function noRecords({ texts, resource, baseParams, canWrite }: RecordRequest, isWhole: boolean): string {
  const label = resourceTexts(texts, resource.name)
  if (isWhole && !canWrite) return emptyState(label.empty)
  if (isWhole) {
    const add = html`<a href="${pageUrl('records.php', { ...baseParams, new: 1 })}">${label.add}</a>`
    const load = html`<a href="${pageUrl('import.php', baseParams)}">${texts.imports.link}</a>`
    return emptyState(label.empty, label.emptyHelp, html`!${add} · !${load}`)
  }
  const clear = html`<a href="${pageUrl('records.php', baseParams)}">${texts.records.clear}</a>`
  return html`<div class="empty"><p>${label.noMatch}</p><p>!${clear}</p></div>`
}
