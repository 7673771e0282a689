// Lets users select records in a list. Each row has a checkbox. In a bar, the user chooses a task for the ticked rows
// or for all matching records. The bar precedes the list, so that it is a few key presses away from its beginning.

import { html } from 'ghtml'
import { holderKinds, stateOf, type Verb, type VerbName, verbs } from '../../../domain/equipment/verbs.ts'
import { form, hiddenField } from '../../components/forms/forms.ts'
import { icon } from '../../components/icons.ts'
import { menu } from '../../components/menu.ts'
import { fullTitleOf, includedRecord, type PanelRecord } from '../../components/record-fields.ts'
import { resourceTexts } from '../../i18n/index.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { pageUrl } from '../../urls.ts'
import { type BulkTask, taskLabel, tasksOf } from './tasks.ts'

/** Whether the user can select rows. Viewers cannot change records, and nobody can change past states. */
export function isSelectable({ canWrite, query }: RecordRequest): boolean {
  return canWrite && !query.has('as_of')
}

/** The parameter with the ids of the rows that are ticked when the list opens, or the word `all`. The page to which a
 *  task returns has it, so that the selection is where it was. */
export const selectedName = 'selected'

/** The id of the first row that is ticked when the list opens. The URL to which a task returns leads to it. */
export const firstSelectedId = 'selected'

/** Returns a function that tells whether a record is ticked when the list opens. */
export function selectionOf({ query }: RecordRequest): (record: PanelRecord) => boolean {
  const selected = query.get(selectedName) ?? ''
  const ids = new Set(selected.split('.'))
  return ({ id }) => selected === 'all' || ids.has(String(id))
}

/** Returns the value of the parameter `selected` for a submitted selection. */
export function selectedParam(form: URLSearchParams): string {
  return form.has('all') ? 'all' : form.getAll('id').join('.')
}

/** Renders a row's checkbox. Returns an empty string if rows cannot be selected. */
export function selectBox(request: RecordRequest, record: PanelRecord, isSelected: boolean): string {
  if (!isSelectable(request)) return ''
  const { texts, resource, presentation } = request
  const label = texts.bulkEdits.select(fullTitleOf(texts, record, resource.title, presentation.code))
  const checked = isSelected ? ' checked' : ''
  const state = presentation.tasks === 'verbs' ? html` data-state="${stateName(record)}"` : ''
  return html`<input type="checkbox" name="id" value="${record.id}" aria-label="${label}"!${state}!${checked}>`
}

/** Returns what determines which verbs an asset allows. */
function stateName(record: PanelRecord): string {
  const { holder, status } = stateOf(record, includedRecord(record, 'employee_id'))
  return `${holder}-${status}`
}

/** Returns the states in which a verb is offered. For many assets, `assign` also hands over those that somebody has. */
function fittingStates(name: VerbName): string {
  const all: Verb[] = name === 'assign' ? [verbs.assign, verbs.hand_over] : [verbs[name]]
  const states = all.flatMap(({ from }) =>
    holderKinds.flatMap((kind) => from[kind].map((status) => `${kind}-${status}`)),
  )
  return states.join(' ')
}

/** Renders the checkbox in the table head, which ticks all rows on the page. A script makes the checkbox visible. On
 *  phones, its label is also visible. */
export function selectPageBox(request: RecordRequest): string {
  if (!isSelectable(request)) return ''
  const label = request.texts.bulkEdits.selectPage
  return html`<input type="checkbox" data-select-page hidden aria-label="${label}">
<span aria-hidden="true">${label}</span>`
}

/** `params`: the list's API parameters, which select all matching records. `place`: those of the page that it shows.
 *  `total`: how many records match; null if unknown. */
type SelectionOptions = { params: Record<string, string>; place: Record<string, string>; total: number | null }

/** Wraps a list's HTML in a form if the user can select rows. */
export function selectionForm(request: RecordRequest, list: string, options: SelectionOptions): string {
  if (!isSelectable(request)) return list
  const { baseParams } = request
  const [filter, back] = [options.params, options.place].map((each) => new URLSearchParams(each).toString())
  const hidden = hiddenField('filter', filter!) + hiddenField('back', back!)
  const content = hidden + bar(request, options) + list
  return form(request, pageUrl('bulk_edit.php', baseParams), content, { className: 'selection' })
}

/** At most this many tasks have a button of their own. */
const maxButtons = 3

/** Renders the bar: what is selected, the most likely tasks, and a menu with the others. On phones, the menu also has
 *  those that do not fit. */
function bar(request: RecordRequest, { place, total }: SelectionOptions): string {
  const { texts, resource, baseParams, query } = request
  const { task, selectAll, selected, clear, moreTasks } = texts.bulkEdits
  const count = total === null ? '' : resourceTexts(texts, resource.name).count(total)
  const tasks = tasksOf(request)
  const likely = tasks.filter(({ kind }) => kind !== 'delete').slice(0, maxButtons)
  const isAll = query.get(selectedName) === 'all' ? ' checked' : ''
  const buttons = likely.map((each, index) => taskButton(request, each, index === 0 ? '' : 'wide-only'))
  const items = tasks.map((each) => {
    const [first, ...others] = likely
    const name = each === first ? ' hidden' : others.includes(each) ? ' class="narrow-only"' : ''
    return html`<li!${name}>!${taskButton(request, each, each.kind === 'delete' ? 'danger' : '')}</li>`
  })
  const summary = html`${moreTasks}!${icon('expand')}`
  const rest = menu({ summary, body: html`<ul>!${items}</ul>`, name: 'end', summaryName: 'button' })
  return html`<div class="bulk" role="group" aria-label="${task}">!${noDefaultButton}
<span class="what"><b class="selected" hidden><output></output> ${selected}</b>
<a href="${pageUrl('records.php', { ...baseParams, ...place })}" data-clear>${clear}</a>
<label data-total="${total ?? ''}"><input type="checkbox" name="all" value="1"!${isAll}>
${selectAll(count)}</label></span>
!${buttons}!${rest}</div>`
}

/** Prevents Enter on a checkbox from starting the first task. */
const noDefaultButton = '<button hidden disabled></button>'

/** A button that starts a task. If the task is a verb that no selected asset allows, a script disables its button
 *  (selection.js). An export stays on the page, so its button can be pressed again (forms.js). */
function taskButton({ texts }: RecordRequest, task: BulkTask, className: string): string {
  const attributes = [
    className && html` class="${className}"`,
    task.kind === 'export' && ' data-stays',
    task.kind === 'verb' && html` data-fits="${fittingStates(task.name)}"`,
  ]
  return html`<button name="do" value="${task.name}"!${attributes.filter(Boolean)}>${taskLabel(texts, task)}</button>`
}
