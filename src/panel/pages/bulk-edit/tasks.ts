// The tasks that users can choose for selected records, the questions that each task asks, and the edits that result
// from the answers.

import type { BulkEdit } from '../../../domain/bulk/bulk-edit.ts'
import { type Resource, type WritableField, writableFields } from '../../../domain/declarations/resource.ts'
import { type VerbName, verbNames, verbs } from '../../../domain/equipment/verbs.ts'
import { resourceTexts, type Texts } from '../../i18n/index.ts'
import type { RecordRequest } from '../records/request.ts'

/** `verb`: what people do with equipment, such as `assign` or `return`. `branch`: moves people to another branch. */
export type Task =
  | { name: VerbName; kind: 'verb' }
  | { name: 'move'; kind: 'branch' }
  | { name: 'edit' | 'export' | 'delete'; kind: 'edit' | 'export' | 'delete' }

/** The questions that a task can have. */
export type Question = 'person' | 'branch' | 'due_back' | 'fields'

/** Returns the tasks in menu order. `hand_over` is not offered, because `assign` also reassigns assets that someone
 *  already holds. */
export function tasksOf({ name }: Resource): Task[] {
  const common: Task[] = (['edit', 'export', 'delete'] as const).map((each) => ({ name: each, kind: each }))
  if (name === 'hardware') {
    const offered = verbNames.filter((verb) => verb !== 'hand_over')
    return [...offered.toSorted(byUse).map((verb): Task => ({ name: verb, kind: 'verb' })), ...common]
  }
  return name === 'employees' ? [{ name: 'move', kind: 'branch' }, ...common] : common
}

/** The verbs that people most often use for many items at once. The menu starts with them. */
const mostUsed: readonly VerbName[] = ['return', 'assign', 'move']

function byUse(one: VerbName, other: VerbName): number {
  const rank = (verb: VerbName) => (mostUsed.includes(verb) ? mostUsed.indexOf(verb) : mostUsed.length)
  return rank(one) - rank(other)
}

export function findTask(resource: Resource, name: string | null): Task | undefined {
  return tasksOf(resource).find((task) => task.name === name)
}

export function taskLabel(texts: Texts, { kind, name }: Task): string {
  if (kind === 'verb') return texts.verbs.names[name]
  return texts.bulkEdits.tasks[kind === 'branch' ? 'move' : kind]
}

/** Returns the title of an edit's pages. It names the task and the number of records. */
export function taskTitle({ texts, resource }: RecordRequest, task: Task, count: number): string {
  return texts.bulkEdits.title(taskLabel(texts, task), resourceTexts(texts, resource.name).count(count))
}

export function questionsOf(task: Task): Question[] {
  if (task.kind === 'edit') return ['fields']
  if (task.kind === 'branch') return ['branch']
  if (task.kind !== 'verb') return []
  const { asks } = verbs[task.name] as { asks: Record<string, string> }
  return (['person', 'branch', 'due_back'] as const).filter((each) => asks[each] === 'required')
}

/** Fields whose values help users tell records apart, even if the values are not unique. */
const identifyingFields = ['name', 'serial_number', 'code', 'employee_no']

/** Returns the fields that can reasonably have the same value in many records. This excludes long texts, references,
 *  email addresses, and unique or identifying fields. */
export function editableFields(resource: Resource): [name: string, field: WritableField][] {
  return writableFields(resource).filter(([name, field]) => {
    const isLong = field.kind === 'text' && field.max > longestText
    return (
      !isLong &&
      !field.unique &&
      field.kind !== 'reference' &&
      field.kind !== 'email' &&
      !identifyingFields.includes(name)
    )
  })
}

/** In code points. Longer texts are excluded because the answers become part of the page's URL. */
const longestText = 200

/** The user's answers: record ids, a day, and field values in their stored form. */
export type Answers = {
  person?: number
  branch?: number
  dueBack?: string
  values?: Record<string, string | number | boolean | null>
}

/** Returns the edit that results from a task and its answers. */
export function toEdit({ name: resource }: Resource, task: Task, { values = {}, ...answers }: Answers): BulkEdit {
  if (task.kind === 'verb') return { resource, action: 'verb', verb: task.name, answers }
  if (task.kind === 'delete') return { resource, action: 'delete' }
  if (task.kind === 'branch') return { resource, action: 'update', values: { customer_id: answers.branch! } }
  return { resource, action: 'update', values }
}
