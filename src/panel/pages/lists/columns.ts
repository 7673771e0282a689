// The columns of lists: their names, labels, `sort` parameters and cells. Exports and saved views use the same names.

import { html } from 'ghtml'
import { type Field, resourceNamed } from '../../../domain/declarations/resource.ts'
import { countColumnsOf, countedBy } from '../../../domain/lists/counts.ts'
import { filtersOf, titleName } from '../../../domain/lists/request/options.ts'
import { viewColumns } from '../../../domain/views/check-view.ts'
import { badge } from '../../components/badge.ts'
import { daysBetween } from '../../components/days.ts'
import { icon, isIcon } from '../../components/icons.ts'
import {
  codeBeside,
  includedRecord,
  isRecord,
  noValue,
  type PanelRecord,
  showValue,
  titleOf,
} from '../../components/record-fields.ts'
import { fieldLabel, formatDate, formatNumber, ownText, resourceTexts, type Texts } from '../../i18n/index.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { listUrl, recordUrl } from '../../urls.ts'

/** What a cell needs besides the record that it shows. `columns`: the names of the list's columns. `counts`: the number
 *  of related records, by their resource and by record id. `today`: the current day in the tenant's time zone. */
export type CellContext = {
  request: RecordRequest
  columns: readonly string[]
  counts: Record<string, Map<number, number>>
  today: string
}

type Cell = (context: CellContext, record: PanelRecord) => string

/** `cardLabel`: the label of values in the cards on phones, if the values do not speak for themselves. `counted`: the
 *  resource whose records the column counts. */
export type ListColumn = {
  name: string
  label: string
  cardLabel?: string
  sort?: string
  isNumber?: boolean
  isCode?: boolean
  counted?: string
  cell: Cell
}

export const financeColumns = [
  'asset_tag',
  'name',
  'manufacturer',
  'model',
  'serial_number',
  'purchase_date',
  'purchase_cost',
  'warranty_end',
  'customer_name',
  'employee_name',
  'status',
]

/** Returns every column of a list. The first column names the record, and is always shown. */
export function allColumns(request: RecordRequest): ListColumn[] {
  const { resource, resources, presentation } = request
  const first = resource.title?.[0] ?? 'id'
  const replaced = Object.keys(resource.fields).filter((name) => resource.fields[name]!.kind === 'reference')
  const names = viewColumns(resource, resources).filter((name) => name !== first && !replaced.includes(name))
  const order = [...new Set([...presentation.columns.filter((name) => names.includes(name)), ...names])]
  return [first, ...order].map((name) => columnNamed(request, name, name === first))
}

/** Returns the first column, and then the `wanted` columns in the given order. Unknown names are ignored. Returns
 *  the standard columns if `wanted` is null. */
export function chosenColumns(request: RecordRequest, wanted: readonly string[] | null): ListColumn[] {
  const columns = allColumns(request)
  const names = wanted ?? request.presentation.columns
  const others = names.flatMap((name) => columns.slice(1).find((each) => each.name === name) ?? [])
  return [columns[0]!, ...others]
}

function columnNamed(request: RecordRequest, name: string, isFirst: boolean): ListColumn {
  const { texts, resource, presentation } = request
  const label = columnLabel(texts, name)
  if (isFirst) return { name, label, sort: name, cell: titleCell }
  if (countColumnsOf(resource, request.resources).includes(name)) return countColumn(request, name)
  const field = resource.fields[name]
  const special = specialCells[name]
  if (special) return { name, label, ...cardLabelOf(label, field), sort: name, cell: special }
  const reference = field ? undefined : referenceOf(request, name)
  if (reference) return { name, label, sort: name, cell: referenceCell(reference) }
  if (!field) {
    const cell: Cell = ({ request }, record) => stamp(request.texts, record[name])
    return { name, label, cardLabel: label, sort: name, cell }
  }
  const isNumber = field.kind === 'integer'
  const isCode = field.kind === 'text' && field.isCode === true
  return {
    name,
    label,
    ...cardLabelOf(label, field),
    sort: name,
    isNumber,
    isCode,
    cell: ({ request }, record) =>
      presentation.hasField(record, name) ? showValue(request.texts, field, record[name]) : noValue(request.texts),
  }
}

function cardLabelOf(label: string, field: Field | undefined): { cardLabel?: string } {
  const isClear = field === undefined || ['text', 'email', 'choice', 'reference'].includes(field.kind)
  return isClear ? {} : { cardLabel: label }
}

export function columnLabel(texts: Texts, name: string): string {
  const text = ownText<string>(texts.lists.columns, name)
  if (text) return text
  return fieldLabel(texts, name.replace(/_name$/, '_id'))
}

/** Cells that show more than a single field's value, or show the value in a special form. */
const specialCells: Record<string, Cell> = {
  employee_name: holderCell,
  warranty_end: dayCell('warranty_end'),
  due_back: dayCell('due_back'),
  end_date: leavingCell,
}

/** Shows an icon, the link to the record, a detail that distinguishes records with the same name, and the code on the
 *  record's label unless the list has a column for it. */
function titleCell({ request, columns }: CellContext, record: PanelRecord): string {
  const { resource, presentation } = request
  const type = String(record.type ?? '')
  const iconName = isIcon(type) ? type : presentation.icon
  const title = titleOf(record, resource.title, request.texts)
  const more = presentation.detail && record[presentation.detail]
  const link = html`<a href="${recordUrl(request, resource.name, record.id)}" dir="auto">${title}</a>`
  const detail = more && more !== title ? html` <small dir="auto">${String(more)}</small>` : ''
  const left = record.is_active === false && record.kind === 'person' ? leftBadge(request.texts) : ''
  const { code = '' } = presentation
  const codeText = columns.includes(code) ? '' : codeBeside(record, title, code)
  return html`<span class="title">!${icon(iconName)}!${link}!${codeText}!${left}!${detail}</span>`
}

/** On phones, the badge says in a card's first line who has left, and not the column with the end date. */
function leftBadge({ recordPages }: Texts): string {
  return html` <span class="narrow-only">!${badge(recordPages.states.left, 'neutral')}</span>`
}

function holderCell(context: CellContext, record: PanelRecord): string {
  const isInStock = includedRecord(record, 'employee_id')?.kind === 'storage'
  if (isInStock) return html`!${icon('storage')}${context.request.texts.lists.inStock}`
  return referenceCell({ name: 'employee_id', to: 'employees' })(context, record)
}

/** A reference of the list's records, or of the records that they refer to, and the resource that it leads to. */
type Reference = { name: string; to: string }

function referenceOf({ resource, resources }: RecordRequest, column: string): Reference | undefined {
  for (const { name, field } of filtersOf(resource, resources).filters)
    if (field.kind === 'reference' && titleName(name) === column) return { name, to: field.to }
  return undefined
}

/** Shows the record that a record refers to, directly or through another: the branch of a person, or of an asset's
 *  holder. */
function referenceCell({ name, to }: Reference): Cell {
  return ({ request }, record) => {
    const throughOthers = Object.values(record).map((value) => (isRecord(value) ? includedRecord(value, name) : null))
    const referenced = includedRecord(record, name) ?? throughOthers.find((each) => each !== null)
    if (!referenced) return noValue(request.texts)
    const title = titleOf(referenced, resourceNamed(request.resources, to).title, request.texts)
    return html`<a href="${recordUrl(request, to, referenced.id)}" dir="auto">${title}</a>`
  }
}

/** A date at most this many days before or after today is shown in relative form, such as "in 23 days". A warranty that
 *  ended longer ago than this is not highlighted. */
const nearDays = 90

function dayCell(name: string): Cell {
  return ({ request, today }, record) => {
    const day = record[name]
    if (typeof day !== 'string') return noValue(request.texts)
    const days = daysBetween(today, day)
    const date = formatDate(request.texts, day)
    const isFar = Math.abs(days) > nearDays
    const relative = () => new Intl.RelativeTimeFormat(request.texts.locale, { numeric: 'auto' }).format(days, 'day')
    const tone = days >= 0 ? '' : isFar && name === 'warranty_end' ? 'past' : 'over'
    const attributes = html`datetime="${day}" title="${date}"!${tone && html` class="${tone}"`}`
    return html`<time !${attributes}>${isFar ? date : relative()}</time>`
  }
}

function leavingCell(context: CellContext, record: PanelRecord): string {
  const { texts } = context.request
  const left = html`<span class="wide-only">${texts.lists.left}</span>`
  return record.is_active === false ? left : dayCell('end_date')(context, record)
}

function countColumn({ texts, resource, resources }: RecordRequest, name: string): ListColumn {
  const counted = countedBy(name)
  const { many, count: countText } = resourceTexts(texts, counted)
  const { filters } = filtersOf(resourceNamed(resources, counted), resources)
  const filter = filters.find(({ field }) => field.kind === 'reference' && field.to === resource.name)!
  const cell: Cell = ({ request, counts }, record) => {
    const count = counts[counted]?.get(record.id) ?? 0
    if (count === 0) return '<span class="none">0</span>'
    const url = listUrl(request, counted, { [filter.name]: record.id })
    const number = html`<span class="in-table">${formatNumber(texts, count)}</span>`
    return html`<a href="${url}">!${number}!${html`<span class="in-card">${countText(count)}</span>`}</a>`
  }
  return { name, label: many, sort: name, isNumber: true, counted, cell }
}

function stamp(texts: Texts, value: unknown): string {
  return typeof value === 'number' ? html`${value}` : showValue(texts, { kind: 'timestamp', readOnly: true }, value)
}
