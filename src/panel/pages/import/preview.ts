// Previews the first rows of a checked file. For each row, the preview shows whether the row is new, changed (with the
// old and new values), unchanged or invalid.

import { html } from 'ghtml'
import { type Field, type Resource, resourceNamed } from '../../../domain/declarations/resource.ts'
import type { ImportPreview } from '../../../domain/imports/draft-operations.ts'
import type { RowError } from '../../../domain/imports/import.ts'
import type { RowPreview } from '../../../domain/imports/rows/import-rows.ts'
import { stateBadge } from '../../components/badge.ts'
import { type Column, labelColumns, table } from '../../components/lists/table.ts'
import { showValue, titleOf } from '../../components/record-fields.ts'
import { fieldLabel, formatNumber, type Texts } from '../../i18n/index.ts'
import { readRecords } from '../../read-records.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { recordUrl } from '../../urls.ts'
import { errorText, shortenCell } from './page-parts.ts'

/** The preview leaves out rows beyond this total size, but always shows the first row. */
const maxPreviewBytes = 50_000

/** A field that the import writes, and the columns that contain its value. */
type ShownField = { name: string; field: Field; columns: number[] }

export async function previewTable(request: TenantRequest, name: string, preview: ImportPreview): Promise<string> {
  const { texts, resources } = request
  const resource = resourceNamed(resources, name)
  const fields = shownFields(resource, preview)
  const titles = await referenceTitles(request, fields, preview.rows)
  const head: Column[] = labelColumns(
    texts.imports.row,
    texts.imports.outcome,
    ...fields.map((each) => fieldLabel(texts, each.name)),
  )
  const rows: string[][] = []
  let bytesLeft = maxPreviewBytes
  for (const row of preview.rows) {
    const cells = [
      html`${formatNumber(texts, row.row)}`,
      outcomeOf(request, resource, row),
      ...fields.map((field) => cellOf(texts, field, row, titles)),
    ]
    bytesLeft -= cells.reduce((size, cell) => size + Buffer.byteLength(cell), 0)
    if (bytesLeft < 0 && rows.length > 0) break
    rows.push(cells)
  }
  return html`<div class="scroll">!${table({ head, rows, name: 'log' })}</div>`
}

/** Returns the fields in the order of the file's columns. A reference that is spread over several columns appears only
 *  once. */
function shownFields({ fields }: Resource, { columns }: ImportPreview): ShownField[] {
  const fieldByName = new Map<string, ShownField>()
  columns.forEach(({ target }, index) => {
    if (!target || target.kind === 'id') return
    const name = target.kind === 'reference' ? target.field : target.name
    const shownField = fieldByName.get(name) ?? { name, field: fields[name]!, columns: [] }
    shownField.columns.push(index)
    fieldByName.set(name, shownField)
  })
  return [...fieldByName.values()]
}

/** Shows a row's outcome, followed by its first error or by a link to the existing record that the row matches. */
function outcomeOf(request: TenantRequest, resource: Resource, row: RowPreview): string {
  const { texts } = request
  const label = texts.imports.outcomes[row.outcome]
  const outcome = stateBadge(row.outcome, label)
  if (row.outcome === 'invalid') return html`!${outcome} <small>${firstError(texts, row.errors[0]!)}</small>`
  if (!row.before) return outcome
  const id = row.before.id as number
  return html`!${outcome} <a href="${recordUrl(request, resource.name, id)}">${titleOf(row.before, resource.title)}</a>`
}

function firstError(texts: Texts, error: RowError): string {
  const text = errorText(texts, error)
  return error.column === null ? text : `${shortenCell(error.column)}: ${text}`
}

/** The titles of the records that the values refer to, by field and id. */
type Titles = Map<string, string>

async function referenceTitles(
  request: TenantRequest,
  fields: readonly ShownField[],
  rows: readonly RowPreview[],
): Promise<Titles> {
  const titles: Titles = new Map()
  for (const { name, field } of fields) {
    if (field.kind !== 'reference') continue
    const resource = resourceNamed(request.resources, field.to)
    const values = rows.flatMap((row) => [row.before?.[name], row.outcome === 'invalid' ? null : row.values[name]])
    const ids = [...new Set(values.filter((each) => typeof each === 'number'))]
    if (ids.length === 0) continue
    for (const record of await readRecords(request, resource, ids))
      titles.set(`${name} ${record.id}`, titleOf(record, resource.title))
  }
  return titles
}

const longestCell = 100

function cellOf(texts: Texts, { name, field, columns }: ShownField, row: RowPreview, titles: Titles): string {
  if (row.outcome === 'invalid')
    return html`${shortenCell(columns.map((at) => row.cells[at] ?? '').join(' '), longestCell)}`
  const show = (value: unknown) => {
    const title = field.kind === 'reference' ? titles.get(`${name} ${value}`) : undefined
    return title === undefined ? showValue(texts, field, value) : html`${title}`
  }
  const [before, after] = [row.before?.[name] ?? null, row.values[name] ?? null]
  if (!row.before || before === after) return after === null ? '' : show(after)
  return html`<del>!${show(before)}</del> <ins>!${show(after)}</ins>`
}
