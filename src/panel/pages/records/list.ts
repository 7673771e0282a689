// A page of records: search, filters, columns that sort, and the way to the next page.

import { html } from 'ghtml'
import { type Filter, filtersOf, memberName } from '../../../resources/lists/options.ts'
import { readListRequest } from '../../../resources/lists/request.ts'
import { type Field, type Resource, resourceNamed } from '../../../resources/resource.ts'
import { readListPage } from '../../../storage/list-page.ts'
import { included, type PanelRecord, showValue, titleOf } from '../../components/record-fields.ts'
import { choiceLabel, fieldLabel, resourceLabel, writeNumber } from '../../i18n/index.ts'
import { type PageResponse, pageUrl, recordAddress } from '../../request.ts'
import type { RecordRequest } from './request.ts'

/** Columns besides the title: what people sort and look by. */
const mostColumns = 6

/** A page of a list as it was read. */
type Page = { records: PanelRecord[]; next: string | null; total: number | null }

export async function showList(visit: RecordRequest): Promise<PageResponse> {
  const { texts, resource, place } = visit
  const wishes = listParams(visit)
  const isWhole = !Object.keys(wishes).some((name) => !['sort', 'cursor'].includes(name))
  const { page, rows } = await readFitting(visit, { ...wishes, ...(isWhole && !wishes.cursor && { total: 'true' }) })
  const { many } = resourceLabel(texts, resource.name)
  const count = page.total === null ? '' : html` <small>${writeNumber(texts, page.total)}</small>`
  const add = html`<a class="button" href="${pageUrl('records.php', { ...place, new: 1 })}">${texts.records.add(resourceLabel(texts, resource.name).one)}</a>`
  const list = page.records.length === 0 ? emptyState(visit, isWhole) : table(visit, wishes, rows)
  const body = html`<div class="tools">!${searchForm(visit, wishes)}!${add}</div>!${filterForm(visit, wishes)}!${list}!${paging(visit, wishes, page)}`
  return { kind: 'page', title: many, heading: html`${many}!${count}`, body }
}

/** What the rows of a page may take. Bytes. */
const roomForRows = 70_000

/** A page with its rows as HTML. Where they are too long for a page, there are fewer of them. */
async function readFitting(
  visit: RecordRequest,
  wishes: Record<string, string>,
): Promise<{ page: Page; rows: string }> {
  const page = await readList(visit, visit.resource, wishes)
  const rows = rowsOf(visit, page.records)
  const limit = Math.floor(page.records.length / 2)
  if (Buffer.byteLength(rows) <= roomForRows || limit === 0) return { page, rows }
  return readFitting(visit, { ...wishes, limit: String(limit) })
}

/** What the address wishes of the list; empty fields of a form wish nothing. */
function listParams({ query }: RecordRequest): Record<string, string> {
  const own = ['tenant', 'resource', 'said']
  return Object.fromEntries([...query].filter(([name, value]) => !own.includes(name) && value.trim() !== ''))
}

/** Reads a page through the same door as the API: what it would not understand is refused. */
export async function readList(
  { parts, tenant }: RecordRequest,
  resource: Resource,
  wishes: Record<string, string>,
): Promise<Page> {
  const references = Object.keys(resource.fields).filter((name) => resource.fields[name]!.kind === 'reference')
  const include = references.map(memberName).join(',')
  const wished = { ...wishes, ...(include && { include }) }
  const asked = readListRequest(wished, resource, parts.resources, parts.now())
  const { data, next, total } = await readListPage(parts, tenant, resource.name, asked)
  return { records: JSON.parse(`[${data}]`), next, total }
}

/** Without scripts a filter is applied by its button; a script does it as soon as something is chosen. */
function searchForm({ texts, resource, place }: RecordRequest, wishes: Record<string, string>): string {
  const label = texts.records.searchIn(resourceLabel(texts, resource.name).many)
  return html`<form class="search" role="search" action="records.php">
!${hidden({ ...place, ...without(wishes, ['q', 'cursor']) })}
<input type="search" name="q" value="${wishes.q ?? ''}" aria-label="${label}" placeholder="${label}" autocomplete="off">
<button>${texts.records.search}</button>
</form>`
}

function filterForm(visit: RecordRequest, wishes: Record<string, string>): string {
  const { texts, resource, place, parts } = visit
  const { filters } = filtersOf(resource, parts.resources)
  const controls = filters.flatMap((filter) => filterControls(visit, filter, wishes))
  const names = controls.flatMap(({ names }) => names)
  const active = Object.keys(wishes).filter((name) => !['q', 'sort', 'cursor', 'limit'].includes(name))
  const clear = active.length === 0 ? '' : html` <a href="${pageUrl('records.php', place)}">${texts.records.clear}</a>`
  return html`<details class="filters"!${active.length === 0 ? '' : ' open'}><summary>${texts.records.filters}</summary>
<form action="records.php" class="grid">
!${hidden({ ...place, ...without(wishes, ['cursor', ...names]) })}
!${controls.map(({ html }) => html).join('')}
<p class="actions"><button>${texts.records.filter}</button>!${clear}</p>
</form></details>`
}

type FilterControl = { names: string[]; html: string }

/** Choices, booleans and days are filtered by; text is searched; references are followed. */
function filterControls(
  { texts }: RecordRequest,
  { name, field, via: through }: Filter,
  wishes: Record<string, string>,
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
      ([value, label]) => html`<option value="${value}"!${wishes[name] === value ? ' selected' : ''}>${label}</option>`,
    )
    return {
      names: [name],
      html: html`<label>${fieldLabel(texts, name)}<select name="${name}"><option value="">${texts.records.any}</option>!${choices.join('')}</select></label>`,
    }
  }

  function day(name: string, label: string): FilterControl {
    return {
      names: [name],
      html: html`<label>${label}<input type="date" name="${name}" value="${wishes[name] ?? ''}"></label>`,
    }
  }
}

function hidden(parameters: Record<string, string | undefined>): string {
  return Object.entries(parameters)
    .map(([name, value]) => (value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`))
    .join('')
}

function without(wishes: Record<string, string>, names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(wishes).filter(([name]) => !names.includes(name)))
}

/** What stands behind the title, in the order of the declaration: what is declared to, references and choices. */
function columnsOf({ fields, title = [] }: Resource): [name: string, field: Field][] {
  return Object.entries<Field>(fields)
    .filter(
      ([name, field]) => name !== title[0] && (field.inList || field.kind === 'reference' || field.kind === 'choice'),
    )
    .slice(0, mostColumns)
}

function table(visit: RecordRequest, wishes: Record<string, string>, rows: string): string {
  const { resource } = visit
  const title = resource.title?.[0] ?? 'id'
  const heads = [title, ...columnsOf(resource).map(([name]) => name)].map((name) => sortHead(visit, wishes, name))
  return html`<div class="scroll"><table class="records"><thead><tr>!${heads.join('')}</tr></thead><tbody>!${rows}</tbody></table></div>`
}

function rowsOf(visit: RecordRequest, records: PanelRecord[]): string {
  const { texts, resource } = visit
  const columns = columnsOf(resource)
  const rows = records.map((record) => {
    const cells = columns.map(
      ([name, field]) =>
        html`<td data-label="${fieldLabel(texts, name)}">!${showField(visit, record, name, field)}</td>`,
    )
    return html`<tr><th scope="row"><a href="${recordAddress(visit, resource.name, record.id)}">${titleOf(record, resource.title)}</a></th>!${cells.join('')}</tr>`
  })
  return rows.join('')
}

/** A head that sorts; again, the other way round. */
function sortHead({ texts, place }: RecordRequest, wishes: Record<string, string>, name: string): string {
  const present = wishes.sort ?? 'id'
  const direction = present === name ? 'ascending' : present === `-${name}` ? 'descending' : undefined
  const sort = direction === 'ascending' ? `-${name}` : name
  const to = pageUrl('records.php', { ...place, ...without(wishes, ['cursor']), sort })
  const sorted = direction ? html` aria-sort="${direction}"` : ''
  return html`<th scope="col"!${sorted}><a href="${to}">${fieldLabel(texts, name)}</a></th>`
}

/** A value of a record; a reference by the name of what it leads to. */
export function showField(visit: RecordRequest, record: PanelRecord, name: string, field: Field): string {
  const other = field.kind === 'reference' ? included(record, name) : null
  if (field.kind !== 'reference' || !other) return showValue(visit.texts, field, record[name])
  const resource = resourceNamed(visit.parts.resources, field.to)
  return html`<a href="${recordAddress(visit, resource.name, other.id)}">${titleOf(other, resource.title)}</a>`
}

function paging({ texts, place }: RecordRequest, wishes: Record<string, string>, { next }: Page): string {
  const first = wishes.cursor
    ? html`<a href="${pageUrl('records.php', { ...place, ...without(wishes, ['cursor']) })}">${texts.records.first}</a>`
    : ''
  const more = next
    ? html`<a class="button" rel="next" href="${pageUrl('records.php', { ...place, ...wishes, cursor: next })}">${texts.records.next}</a>`
    : ''
  return first || more ? html`<p class="paging">!${first} !${more}</p>` : ''
}

function emptyState({ texts, resource, place }: RecordRequest, isWhole: boolean): string {
  const { many, none, one } = resourceLabel(texts, resource.name)
  if (!isWhole) {
    return html`<div class="empty"><p>${texts.records.nothingFound}</p><p><a href="${pageUrl('records.php', place)}">${texts.records.clear}</a></p></div>`
  }
  return html`<div class="empty"><p><b>${texts.records.empty(many)}</b></p><p>${none}</p><p><a href="${pageUrl('records.php', { ...place, new: 1 })}">${texts.records.add(one)}</a></p></div>`
}
