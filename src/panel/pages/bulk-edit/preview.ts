// Shows what an edit would do: the counts, the records that would change, and the records that cannot be changed.

import { html } from 'ghtml'
import type { EditCounts, PlannedChange } from '../../../domain/bulk/bulk-edit.ts'
import type { BulkEditReport } from '../../../domain/bulk/operations.ts'
import type { Field } from '../../../domain/declarations/resource.ts'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { submitButton } from '../../components/forms/forms.ts'
import { labelColumns, table } from '../../components/lists/table.ts'
import { codeBeside, showValue, titleOf } from '../../components/record-fields.ts'
import { relatedList, section } from '../../components/sections.ts'
import { fieldLabel, formatNumber, resourceTexts, type Texts } from '../../i18n/index.ts'
import { readMentioned } from '../../read-records.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { linkRecord } from '../../urls.ts'
import { type BulkTask, taskLabel } from './tasks.ts'

/** Renders the preview. `confirm`: the form that applies the edit, as HTML. */
export async function previewBody(request: RecordRequest, report: BulkEditReport, confirm: string): Promise<string> {
  const { texts } = request
  const { progress, edit } = report
  const intro = progress.changed > 0 ? html`<p class="lead">${texts.bulkEdits.preview}</p>` : ''
  return html`!${intro}!${editCounts(texts, progress, 'before', edit?.action === 'delete')}
!${confirm}
!${refusedList(request, report)}
!${await changedTable(request, report)}`
}

/** Renders the button that applies the edit to `count` records. `hasFocus`: whether it may receive the focus. */
export function applyButton(
  { texts, resource }: RecordRequest,
  task: BulkTask,
  count: number,
  { name, hasFocus = true }: { name?: string; hasFocus?: boolean } = {},
): string {
  const label = texts.bulkEdits.button(taskLabel(texts, task), resourceTexts(texts, resource.name).count(count))
  const isDeletion = task.kind === 'delete'
  const kind = isDeletion ? 'danger' : 'main'
  return submitButton(label, { ...(name && { name }), kind, hasFocus: hasFocus && !isDeletion })
}

/** Shows how many records change, how many stay the same, and how many cannot be changed. `when`: before or after the
 *  edit. */
export function editCounts(texts: Texts, counts: EditCounts, when: 'before' | 'after', isDeletion: boolean): string {
  const labels = countLabels(texts, when, isDeletion)
  const items = (['changed', 'unchanged', 'refused'] as const)
    .filter((name) => name === 'changed' || counts[name] > 0)
    .map((name) => html`<li data-count="${name}"><b>${formatNumber(texts, counts[name])}</b> ${labels[name]}</li>`)
  return html`<ul class="counts">!${items}</ul>`
}

export function resultText({ texts, resource }: RecordRequest, task: BulkTask, counts: EditCounts): string {
  const labels = countLabels(texts, 'after', task.kind === 'delete')
  const changedText = `${resourceTexts(texts, resource.name).count(counts.changed)} ${labels.changed}`
  const others = (['unchanged', 'refused'] as const).filter((name) => counts[name] > 0)
  const rest = others.map((name) => `${formatNumber(texts, counts[name])} ${labels[name]}`)
  return `${taskLabel(texts, task)}: ${[changedText, ...rest].join(', ')}.`
}

function countLabels(texts: Texts, when: 'before' | 'after', isDeletion: boolean): Record<keyof EditCounts, string> {
  const { counts: before, results, deleted } = texts.bulkEdits
  const deletionLabels = { changed: deleted[when], refused: when === 'before' ? deleted.kept : deleted.left }
  return { ...(when === 'before' ? before : results), ...(isDeletion && deletionLabels) }
}

/** Lists the first records that change, with their old and new values. */
async function changedTable(request: RecordRequest, report: BulkEditReport): Promise<string> {
  const { edit, changed, progress } = report
  if (changed.length === 0) return ''
  const { willChange, willDelete } = request.texts.bulkEdits
  const changing = changed.flatMap(({ values }) => Object.keys(values))
  const list = (await recordsTable(request, report, changing)) + more(request.texts, progress.changed, changed)
  return section(edit?.action === 'delete' ? willDelete : willChange, list)
}

/** Lists records with the values of the `shown` fields. */
export async function recordsTable(
  request: RecordRequest,
  { changed }: BulkEditReport,
  shown: readonly string[],
): Promise<string> {
  const { texts, resource } = request
  const nameOf = await readReferencedNames(request, changed)
  const fields = Object.keys(resource.fields).filter((name) => shown.includes(name))
  const rows = changed.map((planned) => [
    recordLink(request, planned),
    ...fields.map((name) => showChange(request, planned, name, nameOf)),
  ])
  const head = labelColumns(resourceTexts(texts, resource.name).many, ...fields.map((name) => fieldLabel(texts, name)))
  return html`<div class="scroll plan">!${table({ head, rows, name: 'records' })}</div>`
}

/** Lists the first records that cannot be changed, with the reasons. */
export function refusedList(request: RecordRequest, { refused, progress }: BulkEditReport): string {
  if (refused.length === 0) return ''
  const { texts } = request
  const items = refused.map(({ id, record, reason }) => {
    const name = record ? recordLink(request, { id, record }) : html`#${id}`
    return html`<li>!${name}: ${texts.bulkEdits.reasons[reason]}</li>`
  })
  return section(texts.bulkEdits.cannotChange, relatedList(items) + more(texts, progress.refused, refused))
}

function more({ bulkEdits }: Texts, count: number, listed: readonly unknown[]): string {
  const remaining = count - listed.length
  return remaining > 0 ? html`<p>${bulkEdits.more(remaining)}</p>` : ''
}

function recordLink(request: RecordRequest, { id, record }: Pick<PlannedChange, 'id' | 'record'>): string {
  const { resource, presentation } = request
  const title = titleOf(record, resource.title, request.texts)
  return linkRecord(request, resource.name, id, title) + codeBeside(record, title, presentation.code)
}

/** Returns the name, as HTML, of a record that a changed record refers to. */
type NameOf = (resourceName: string, id: number) => string | undefined

async function readReferencedNames(request: RecordRequest, changed: readonly PlannedChange[]): Promise<NameOf> {
  const { resource, resources, texts } = request
  const references = Object.entries<Field>(resource.fields).flatMap(([name, field]) =>
    field.kind === 'reference' ? [{ name, to: field.to }] : [],
  )
  const wanted = references.flatMap(({ name, to }) =>
    changed.flatMap(({ record, values }) => [record[name], values[name]].map((id) => ({ to, id }))),
  )
  const branches = changed.map(({ stockOf }) => ({ to: 'customers', id: stockOf }))
  const records = await readMentioned(request, [...wanted, ...branches])
  return (resourceName, id) => {
    const record = records(resourceName, id)
    if (!record) return undefined
    const title = titleOf(record, resourceNamed(resources, resourceName).title, texts)
    return html`<bdi>${record.kind === 'storage' ? texts.bulkEdits.newStock(title) : title}</bdi>`
  }
}

function showChange(request: RecordRequest, planned: PlannedChange, name: string, nameOf: NameOf): string {
  const { resource, texts } = request
  const { record, values, stockOf } = planned
  const field: Field = resource.fields[name]!
  if (!(name in values)) return showFieldValue(request, field, record[name], nameOf)
  const isNewStock = field.kind === 'reference' && stockOf !== undefined
  const after = isNewStock
    ? texts.bulkEdits.newStock(nameOf('customers', stockOf) ?? html`#${stockOf}`)
    : showFieldValue(request, field, values[name], nameOf)
  const before = showFieldValue(request, field, record[name], nameOf)
  return html`<del>!${before}</del> <span aria-hidden="true">→</span> <ins>!${after}</ins>`
}

/** Shows a field's value. A reference is shown as the title of the record that it refers to. */
function showFieldValue({ texts }: RecordRequest, field: Field, value: unknown, nameOf: NameOf): string {
  const name = field.kind === 'reference' ? nameOf(field.to, Number(value)) : undefined
  return name ?? showValue(texts, field, value)
}
