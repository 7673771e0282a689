// The columns of lists: their names, labels, `sort` parameters and cells. Exports and saved views use the same names.

import { html } from 'ghtml'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { viewColumns } from '../../../domain/views/columns.ts'
import { daysBetween } from '../../components/days.ts'
import { type IconName, icon, isIcon } from '../../components/icons.ts'
import { includedRecord, type PanelRecord, showValue, titleOf } from '../../components/record-fields.ts'
import { fieldLabel, formatDate, formatNumber, ownText, resourceTexts, type Texts } from '../../i18n/index.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import type { RecordRequest } from '../records/request.ts'
import { hasField } from '../records/sections.ts'

/** What a cell needs besides the record that it shows. `counts`: the number of related records, by column and by
 *  record id. `today`: the current day in the tenant's time zone. */
export type CellContext = { request: RecordRequest; counts: Record<string, Map<number, number>>; today: string }

type Cell = (context: CellContext, record: PanelRecord) => string

export type ListColumn = {
  name: string
  label: string
  sort?: string
  isNumber?: boolean
  isCode?: boolean
  cell: Cell
}

/** The columns that a list shows unless the user or a saved view has chosen others. */
const standardColumns: Record<string, readonly string[]> = {
  customers: ['name', 'type', 'city', 'employees_count', 'hardware_count', 'contract_end'],
  employees: ['name', 'customer_name', 'department', 'hardware_count', 'end_date', 'email'],
  hardware: ['name', 'status', 'employee_name', 'customer_name', 'asset_tag', 'serial_number', 'warranty_end'],
}

/** The columns in the accounting export. */
export const financeColumns = [
  'asset_tag',
  'name',
  'serial_number',
  'purchase_date',
  'purchase_cost',
  'customer_name',
  'employee_name',
  'status',
]

/** Returns every column of a list. The first column names the record, and is always shown. */
export function allColumns(request: RecordRequest): ListColumn[] {
  const { resource, resources } = request
  const first = resource.title?.[0] ?? 'id'
  const replaced = Object.keys(resource.fields).filter((name) => resource.fields[name]!.kind === 'reference')
  const names = viewColumns(resource, resources).filter((name) => name !== first && !replaced.includes(name))
  const standard = standardColumns[resource.name] ?? []
  const order = [
    ...standard.filter((name) => names.includes(name)),
    ...names.filter((name) => !standard.includes(name)),
  ]
  return [first, ...order].map((name) => columnNamed(request, name, name === first))
}

/** Returns the first column, and then the `wanted` columns in the given order. Unknown names are ignored. Returns
 *  the standard columns if `wanted` is null. */
export function chosenColumns(request: RecordRequest, wanted: readonly string[] | null): ListColumn[] {
  const columns = allColumns(request)
  const names = wanted ?? standardColumns[request.resource.name] ?? columns.slice(0, 6).map(({ name }) => name)
  const others = names.flatMap((name) => columns.slice(1).find((each) => each.name === name) ?? [])
  return [columns[0]!, ...others]
}

function columnNamed(request: RecordRequest, name: string, isFirst: boolean): ListColumn {
  const { texts, resource } = request
  const label = columnLabel(texts, name)
  if (isFirst) return { name, label, sort: name, cell: titleCell }
  const special = specialColumns[name]
  if (special) return { name, label, ...special }
  const field = resource.fields[name]
  if (!field) return { name, label, sort: name, cell: ({ request }, record) => stamp(request.texts, record[name]) }
  const isNumber = field.kind === 'integer'
  const isCode = field.kind === 'text' && field.isCode === true
  return {
    name,
    label,
    sort: name,
    isNumber,
    isCode,
    cell: ({ request }, record) =>
      hasField(resource, record, name) ? showValue(request.texts, field, record[name]) : none(request.texts),
  }
}

export function columnLabel(texts: Texts, name: string): string {
  const text = ownText<string>(texts.lists.columns, name)
  if (text) return text
  if (name.endsWith('_count')) return resourceTexts(texts, name.slice(0, -'_count'.length)).many
  return fieldLabel(texts, name.replace(/_name$/, '_id'))
}

/** Columns whose cells show more than a single field's value, or show the value in a special form. */
const specialColumns: Record<string, Omit<ListColumn, 'name' | 'label'>> = {
  employee_name: { sort: 'employee_name', cell: holderCell },
  customer_name: { sort: 'customer_name', cell: branchCell },
  warranty_end: { sort: 'warranty_end', cell: dayCell('warranty_end') },
  due_back: { sort: 'due_back', cell: dayCell('due_back') },
  end_date: { sort: 'end_date', cell: leavingCell },
  employees_count: { sort: 'employees_count', isNumber: true, cell: countCell('employees', 'employees_count') },
  hardware_count: { sort: 'hardware_count', isNumber: true, cell: countCell('hardware', 'hardware_count') },
}

const iconsByResource: Record<string, IconName> = { customers: 'branch', employees: 'person', hardware: 'asset' }

/** Shows an icon, the link to the record, and a detail that distinguishes records with the same name. */
function titleCell({ request }: CellContext, record: PanelRecord): string {
  const { resource } = request
  const type = String(record.type ?? '')
  const iconName = isIcon(type) ? type : iconsByResource[resource.name]
  const more = { hardware: record.model, employees: record.title, customers: record.code }[resource.name]
  const url = recordUrl(request, resource.name, record.id)
  const link = html`<a href="${url}" dir="auto">${titleOf(record, resource.title)}</a>`
  const detail = more ? html` <small dir="auto">${String(more)}</small>` : ''
  return html`!${iconName ? icon(iconName) : ''}!${link}!${detail}`
}

function holderCell({ request }: CellContext, record: PanelRecord): string {
  const { texts, resources } = request
  const holder = includedRecord(record, 'employee_id')
  if (!holder) return none(texts)
  if (holder.kind === 'storage') return html`!${icon('storage')}${texts.lists.inStock}`
  const { title } = resourceNamed(resources, 'employees')
  return html`<a href="${recordUrl(request, 'employees', holder.id)}" dir="auto">${titleOf(holder, title)}</a>`
}

/** Shows the record's branch, or its holder's branch. */
function branchCell({ request }: CellContext, record: PanelRecord): string {
  const holder = includedRecord(record, 'employee_id')
  const branch = includedRecord(holder ?? record, 'customer_id')
  if (!branch) return none(request.texts)
  const { title } = resourceNamed(request.resources, 'customers')
  return html`<a href="${recordUrl(request, 'customers', branch.id)}" dir="auto">${titleOf(branch, title)}</a>`
}

/** A date at most this many days before or after today is shown in relative form, such as "in 23 days". A warranty that
 *  ended longer ago than this is not highlighted. */
const nearDays = 90

function dayCell(name: string): Cell {
  return ({ request, today }, record) => {
    const day = record[name]
    if (typeof day !== 'string') return none(request.texts)
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
  return record.is_active === false ? html`${texts.lists.left}` : dayCell('end_date')(context, record)
}

function countCell(resource: string, column: string): Cell {
  return ({ request, counts }, record) => {
    const count = counts[column]?.get(record.id) ?? 0
    if (count === 0) return '<span class="none">0</span>'
    const filter = request.resource.name === 'customers' ? 'customer_id' : 'employee_id'
    const url = pageUrl('records.php', { ...request.baseParams, resource, [filter]: record.id })
    const number = html`<span class="in-table">${formatNumber(request.texts, count)}</span>`
    const words = html`<span class="in-card">${resourceTexts(request.texts, resource).count(count)}</span>`
    return html`<a href="${url}">!${number}!${words}</a>`
  }
}

function stamp(texts: Texts, value: unknown): string {
  return typeof value === 'number' ? html`${value}` : showValue(texts, { kind: 'timestamp', readOnly: true }, value)
}

function none(texts: Texts): string {
  return html`<span class="none">${texts.none}</span>`
}
