// The list page of a resource: search, filters, sortable columns, pages.

import { html } from 'ghtml'
import { type Filter, filtersOf, memberName } from '../../../resources/lists/options.ts'
import { readListRequest } from '../../../resources/lists/request.ts'
import { type Field, type Resource, resourceNamed } from '../../../resources/resource.ts'
import { readListPage } from '../../../storage/list-page.ts'
import { included, type PanelRecord, showValue, titleOf } from '../../components/record-fields.ts'
import { choiceLabel, fieldLabel, formatNumber, resourceLabel } from '../../i18n/index.ts'
import { type PageResponse, pageUrl, recordUrl } from '../../request.ts'
import type { RecordRequest } from './request.ts'

/** At most this many columns besides the title fit on a screen. */
const maxColumns = 6

type Page = { records: PanelRecord[]; next: string | null; total: number | null }

export async function showList(request: RecordRequest): Promise<PageResponse> {
  const { texts, resource, baseParams } = request
  const params = listParams(request)
  const isWhole = !Object.keys(params).some((name) => !['sort', 'cursor'].includes(name))
  const { page, rows } = await readFitting(request, { ...params, ...(isWhole && !params.cursor && { total: 'true' }) })
  const { many } = resourceLabel(texts, resource.name)
  const count = page.total === null ? '' : html` <small>${formatNumber(texts, page.total)}</small>`
  const add = html`<a class="button" href="${pageUrl('records.php', { ...baseParams, new: 1 })}">${texts.records.add(resourceLabel(texts, resource.name).one)}</a>`
  const list = page.records.length === 0 ? emptyState(request, isWhole) : table(request, params, rows)
  const body = html`<div class="tools">!${searchForm(request, params)}!${add}</div>!${filterForm(request, params)}!${list}!${paging(request, params, page)}`
  return { kind: 'page', title: many, heading: html`${many}!${count}`, body }
}

/** A page stays below this size. */
const maxRowsBytes = 70_000

/** Reads a page and renders its rows. Halves the page until the rows fit. */
async function readFitting(
  request: RecordRequest,
  params: Record<string, string>,
): Promise<{ page: Page; rows: string }> {
  const page = await readList(request, request.resource, params)
  const rows = rowsOf(request, page.records)
  const limit = Math.floor(page.records.length / 2)
  if (Buffer.byteLength(rows) <= maxRowsBytes || limit === 0) return { page, rows }
  return readFitting(request, { ...params, limit: String(limit) })
}

/** Returns the list parameters of the query, without empty fields of the filter form. */
function listParams({ query }: RecordRequest): Record<string, string> {
  const reserved = ['tenant', 'resource', 'notice']
  return Object.fromEntries([...query].filter(([name, value]) => !reserved.includes(name) && value.trim() !== ''))
}

/** Reads a page with the same parser and storage as the API. Throws a Problem for invalid parameters. */
export async function readList(
  { deps, tenant }: RecordRequest,
  resource: Resource,
  params: Record<string, string>,
): Promise<Page> {
  const references = Object.keys(resource.fields).filter((name) => resource.fields[name]!.kind === 'reference')
  const include = references.map(memberName).join(',')
  const allParams = { ...params, ...(include && { include }) }
  const listRequest = readListRequest(allParams, resource, deps.resources, deps.now())
  const { data, next, total } = await readListPage(deps, tenant, resource.name, listRequest)
  return { records: JSON.parse(`[${data}]`), next, total }
}

/** Without scripts, users apply filters with the button; panel.js applies them on change. */
function searchForm({ texts, resource, baseParams }: RecordRequest, params: Record<string, string>): string {
  const label = texts.records.searchIn(resourceLabel(texts, resource.name).many)
  return html`<form class="search" role="search" action="records.php">
!${hiddenFields({ ...baseParams, ...omit(params, ['q', 'cursor']) })}
<input type="search" name="q" value="${params.q ?? ''}" aria-label="${label}" placeholder="${label}" autocomplete="off">
<button>${texts.records.search}</button>
</form>`
}

function filterForm(request: RecordRequest, params: Record<string, string>): string {
  const { texts, resource, baseParams, deps } = request
  const { filters } = filtersOf(resource, deps.resources)
  const controls = filters.flatMap((filter) => filterControls(request, filter, params))
  const names = controls.flatMap(({ names }) => names)
  const active = Object.keys(params).filter((name) => !['q', 'sort', 'cursor', 'limit'].includes(name))
  const clear =
    active.length === 0 ? '' : html` <a href="${pageUrl('records.php', baseParams)}">${texts.records.clear}</a>`
  return html`<details class="filters"!${active.length === 0 ? '' : ' open'}><summary>${texts.records.filters}</summary>
<form action="records.php" class="grid">
!${hiddenFields({ ...baseParams, ...omit(params, ['cursor', ...names]) })}
!${controls.map(({ html }) => html).join('')}
<p class="actions"><button>${texts.records.filter}</button>!${clear}</p>
</form></details>`
}

type FilterControl = { names: string[]; html: string }

/** Choices, booleans and dates can be filtered. Text is covered by the search, references by links. */
function filterControls(
  { texts }: RecordRequest,
  { name, field, via: through }: Filter,
  params: Record<string, string>,
): FilterControl[] {
  if (through) return []
  switch (field.kind) {
    case 'choice':
      return [
        select(
          name,
          field.of.map((each) => [each, choiceLabel(texts, each)]),
        ),
      ]
    case 'boolean':
      return [
        select(name, [
          ['true', texts.yes],
          ['false', texts.no],
        ]),
      ]
    case 'date':
      return [
        day(`${name}[gte]`, texts.records.from(fieldLabel(texts, name))),
        day(`${name}[lte]`, texts.records.to(fieldLabel(texts, name))),
      ]
    default:
      return []
  }

  function select(name: string, options: [value: string, label: string][]): FilterControl {
    const choices = options.map(
      ([value, label]) => html`<option value="${value}"!${params[name] === value ? ' selected' : ''}>${label}</option>`,
    )
    return {
      names: [name],
      html: html`<label>${fieldLabel(texts, name)}<select name="${name}"><option value="">${texts.records.any}</option>!${choices.join('')}</select></label>`,
    }
  }

  function day(name: string, label: string): FilterControl {
    return {
      names: [name],
      html: html`<label>${label}<input type="date" name="${name}" value="${params[name] ?? ''}"></label>`,
    }
  }
}

function hiddenFields(parameters: Record<string, string | undefined>): string {
  return Object.entries(parameters)
    .map(([name, value]) => (value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`))
    .join('')
}

function omit(params: Record<string, string>, names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name)))
}

/** Returns the columns after the title, in declaration order: `inList` fields, references and choices. */
function columnsOf({ fields, title = [] }: Resource): [name: string, field: Field][] {
  return Object.entries<Field>(fields)
    .filter(
      ([name, field]) => name !== title[0] && (field.inList || field.kind === 'reference' || field.kind === 'choice'),
    )
    .slice(0, maxColumns)
}

function table(request: RecordRequest, params: Record<string, string>, rows: string): string {
  const { resource } = request
  const title = resource.title?.[0] ?? 'id'
  const heads = [title, ...columnsOf(resource).map(([name]) => name)].map((name) => sortHead(request, params, name))
  return html`<div class="scroll"><table class="records"><thead><tr>!${heads.join('')}</tr></thead><tbody>!${rows}</tbody></table></div>`
}

function rowsOf(request: RecordRequest, records: PanelRecord[]): string {
  const { texts, resource } = request
  const columns = columnsOf(resource)
  const rows = records.map((record) => {
    const cells = columns.map(
      ([name, field]) =>
        html`<td data-label="${fieldLabel(texts, name)}">!${showField(request, record, name, field)}</td>`,
    )
    return html`<tr><th scope="row"><a href="${recordUrl(request, resource.name, record.id)}">${titleOf(record, resource.title)}</a></th>!${cells.join('')}</tr>`
  })
  return rows.join('')
}

/** A header that sorts by its column; a second click reverses the order. */
function sortHead({ texts, baseParams }: RecordRequest, params: Record<string, string>, name: string): string {
  const present = params.sort ?? 'id'
  const direction = present === name ? 'ascending' : present === `-${name}` ? 'descending' : undefined
  const sort = direction === 'ascending' ? `-${name}` : name
  const to = pageUrl('records.php', { ...baseParams, ...omit(params, ['cursor']), sort })
  const sorted = direction ? html` aria-sort="${direction}"` : ''
  return html`<th scope="col"!${sorted}><a href="${to}">${fieldLabel(texts, name)}</a></th>`
}

/** Renders a value; a reference links to its record by title. */
export function showField(request: RecordRequest, record: PanelRecord, name: string, field: Field): string {
  const other = field.kind === 'reference' ? included(record, name) : null
  if (field.kind !== 'reference' || !other) return showValue(request.texts, field, record[name])
  const resource = resourceNamed(request.deps.resources, field.to)
  return html`<a href="${recordUrl(request, resource.name, other.id)}">${titleOf(other, resource.title)}</a>`
}

function paging({ texts, baseParams }: RecordRequest, params: Record<string, string>, { next }: Page): string {
  const first = params.cursor
    ? html`<a href="${pageUrl('records.php', { ...baseParams, ...omit(params, ['cursor']) })}">${texts.records.first}</a>`
    : ''
  const more = next
    ? html`<a class="button" rel="next" href="${pageUrl('records.php', { ...baseParams, ...params, cursor: next })}">${texts.records.next}</a>`
    : ''
  return first || more ? html`<p class="paging">!${first} !${more}</p>` : ''
}

function emptyState({ texts, resource, baseParams }: RecordRequest, isWhole: boolean): string {
  const { many, none, one } = resourceLabel(texts, resource.name)
  if (!isWhole) {
    return html`<div class="empty"><p>${texts.records.nothingFound}</p><p><a href="${pageUrl('records.php', baseParams)}">${texts.records.clear}</a></p></div>`
  }
  return html`<div class="empty"><p><b>${texts.records.empty(many)}</b></p><p>${none}</p><p><a href="${pageUrl('records.php', { ...baseParams, new: 1 })}">${texts.records.add(one)}</a></p></div>`
}
