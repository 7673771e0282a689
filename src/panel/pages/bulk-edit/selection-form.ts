// Lets users select records in a list. Each row has a checkbox. Below the list, the user chooses a task for the ticked
// rows or for all matching records.

import { html } from 'ghtml'
import { choiceOptions, form, hiddenField } from '../../components/forms/forms.ts'
import { fullTitleOf, type PanelRecord } from '../../components/record-fields.ts'
import { resourceTexts } from '../../i18n/index.ts'
import { pageUrl } from '../../urls.ts'
import type { RecordRequest } from '../records/request.ts'
import { taskLabel, tasksOf } from './tasks.ts'

/** Whether the user can select rows. Viewers cannot change records, and nobody can change past states. */
export function isSelectable({ canWrite, query }: RecordRequest): boolean {
  return canWrite && !query.has('as_of')
}

/** Renders a row's checkbox. Returns an empty string if rows cannot be selected. */
export function selectBox(request: RecordRequest, record: PanelRecord): string {
  if (!isSelectable(request)) return ''
  const { texts, resource, presentation } = request
  const label = texts.bulkEdits.select(fullTitleOf(record, resource.title, presentation.code))
  return html`<input type="checkbox" name="id" value="${record.id}" aria-label="${label}">`
}

/** Renders the checkbox in the table head, which ticks all rows on the page. A script makes the checkbox visible. On
 *  phones, its label is also visible. */
export function selectPageBox(request: RecordRequest): string {
  if (!isSelectable(request)) return ''
  const label = request.texts.bulkEdits.selectPage
  return html`<input type="checkbox" data-select-page hidden aria-label="${label}">
<span aria-hidden="true">${label}</span>`
}

/** Wraps a list's HTML in a form if the user can select rows. `params`: the list's parameters. `total`: how many
 *  records match; null if unknown. */
export function selectionForm(
  request: RecordRequest,
  list: string,
  { params, total }: { params: Record<string, string>; total: number | null },
): string {
  if (!isSelectable(request)) return list
  const { texts, resource, baseParams } = request
  const { task, go, selectAll, selected } = texts.bulkEdits
  const count = total === null ? '' : resourceTexts(texts, resource.name).count(total)
  const tasks = tasksOf(request).map((each) => [each.name, taskLabel(texts, each)] as const)
  const bar = html`<div class="bulk" role="group" aria-label="${task}">
<span class="selected" hidden>${selected} <output></output></span>
<label><input type="checkbox" name="all" value="1"> ${selectAll(count)}</label>
<label>${task} <select name="do">!${choiceOptions(tasks, tasks[0]![0])}</select></label>
<button>${go}</button>
</div>`
  const filter = hiddenField('filter', new URLSearchParams(params).toString())
  return form(request, pageUrl('bulk_edit.php', baseParams), filter + list + bar, { className: 'selection' })
}
