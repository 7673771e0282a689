// Previews the first rows of a checked file as the records that they become: new ones with their values, changed ones
// with the old and the new values. A row with errors is shown as it is in the file.

import { html } from 'ghtml'
import { emptyValue, type Resource, resourceNamed, stockFieldOf } from '../../../domain/declarations/resource.ts'
import type { ImportPreview } from '../../../domain/imports/draft-operations.ts'
import { textOf } from '../../../domain/imports/file/cells.ts'
import type { RowPreview } from '../../../domain/imports/rows/import-rows.ts'
import { stateBadge } from '../../components/badge.ts'
import { showValue, titleFieldOf, titleOf } from '../../components/record-fields.ts'
import { type Fact, factList, fittingItems } from '../../components/sections.ts'
import { fieldLabel, formatNumber, type Texts } from '../../i18n/index.ts'
import { type Records, readMentioned } from '../../read-records.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { linkRecord } from '../../urls.ts'
import { errorSentence, shortenCell, shownFields } from './page-parts.ts'

export async function previewedRecords(request: TenantRequest, name: string, preview: ImportPreview): Promise<string> {
  const resource = resourceNamed(request.resources, name)
  const references = shownFields(resource).flatMap(([name, field]) =>
    field.kind === 'reference' ? [{ name, to: field.to }] : [],
  )
  const mentions = preview.rows.flatMap((row) =>
    references.flatMap(({ name, to }) =>
      [row.before?.[name], row.outcome === 'invalid' ? null : row.values[name]].map((id) => ({ to, id })),
    ),
  )
  const records = await readMentioned(request, mentions)
  const cards = preview.rows.map((row) => rowCard(request, { resource, preview, records }, row))
  return html`<div class="previewed">!${fittingItems(cards)}</div>`
}

/** The first values of each column of amounts, as they were read; a person confirms that the unit is right. */
export function amountLines({ texts, resources }: TenantRequest, name: string, preview: ImportPreview): string {
  const { fields } = resourceNamed(resources, name)
  const lines = preview.columns.flatMap(({ title, target }) => {
    const field = target?.kind === 'field' ? fields[target.name]! : undefined
    if (field?.kind !== 'integer' || field.isAmount !== true) return []
    const read = preview.rows.flatMap((row) => (row.outcome === 'invalid' ? [] : [row.values[target!.name] ?? null]))
    const amounts = read.filter((value) => value !== null).slice(0, 3)
    const shown = amounts.map((value) => showValue(texts, field, value)).join(' · ')
    return shown === ''
      ? []
      : [html`<p class="notice">${texts.imports.amounts(shortenCell(title))} <b>!${shown}</b></p>`]
  })
  return lines.join('')
}

/** What all rows are shown with. */
type Shown = { resource: Resource; preview: ImportPreview; records: Records }

function rowCard(request: TenantRequest, shown: Shown, row: RowPreview): string {
  const { texts } = request
  const state = stateBadge(row.outcome, texts.imports.outcomes[row.outcome])
  const place = html`<small>${texts.imports.inRow(formatNumber(texts, row.row))}</small>`
  const body = row.outcome === 'invalid' ? fileFacts(texts, shown, row) : recordFacts(request, shown, row)
  return html`<article class="card"><h3>!${rowTitle(request, shown, row)} !${state} !${place}</h3>!${body}</article>`
}

/** A record that exists is linked. */
function rowTitle(request: TenantRequest, { resource }: Shown, row: RowPreview): string {
  if (row.outcome === 'invalid') return ''
  const { before, values } = row
  const title = titleOf({ ...before, ...values, id: before?.id ?? row.row }, resource.title, request.texts)
  if (!before) return html`<bdi>${title}</bdi>`
  return linkRecord(request, resource.name, before.id as number, title)
}

/** The values of a new record that the file gives, or the values of a record that change. */
function recordFacts(
  { texts, resources }: TenantRequest,
  { resource, preview, records }: Shown,
  row: RowPreview,
): string {
  if (row.outcome === 'invalid' || row.outcome === 'unchanged') return ''
  const { values, before } = row
  const given = new Set(
    preview.columns.flatMap(({ target }) => (target?.kind === 'reference' ? target.field : (target?.name ?? []))),
  )
  const { name: holder, stock } = stockFieldOf(resource) ?? {}
  const facts = shownFields(resource).flatMap(([name, field]): Fact[] => {
    const value = values[name] ?? null
    const show = (each: unknown) => {
      const record = field.kind === 'reference' ? records(field.to, each) : undefined
      if (field.kind !== 'reference' || !record) return showValue(texts, field, each)
      return html`<bdi>${titleOf(record, resourceNamed(resources, field.to).title, texts)}</bdi>`
    }
    const isStock = name === holder && field.kind === 'reference' && records(field.to, value)?.kind === 'storage'
    const label = fieldLabel(texts, isStock ? stock!.member : name)
    if (!before) {
      const isTitle = name === titleFieldOf(values, resource.title)
      const isShown = value !== null && !isTitle && (given.has(name) || value !== emptyValue(field))
      return isShown ? [[label, show(value)]] : []
    }
    const former = before[name] ?? null
    if (!Object.hasOwn(values, name) || former === value) return []
    return [[label, html`<del>!${show(former)}</del> <ins>!${show(value)}</ins>`]]
  })
  return factList(facts)
}

const longestCell = 100

/** The errors of a row, and its cells. */
function fileFacts(texts: Texts, { resource, preview }: Shown, row: RowPreview & { outcome: 'invalid' }): string {
  const errors = row.errors.map((error) => {
    const index = preview.columns.findIndex(({ title, target }) => target && title === error.column)
    const { target } = preview.columns[index] ?? {}
    const [field, by] = target?.kind === 'reference' ? [target.field, target.by] : [target?.name ?? null, null]
    const cell = { text: textOf(row.cells, index), field, by }
    return html`<li>${errorSentence(texts, resource, { ...error, cell })}</li>`
  })
  const facts = preview.columns.flatMap(({ title, target }, index): Fact[] => {
    const cell = row.cells[index] ?? ''
    return target && cell !== '' ? [[shortenCell(title), html`<bdi>${shortenCell(cell, longestCell)}</bdi>`]] : []
  })
  return html`<ul class="error">!${errors}</ul>!${factList(facts)}`
}
