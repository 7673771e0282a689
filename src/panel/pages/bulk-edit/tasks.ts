// The tasks that users can choose for selected records, the questions that each task asks, and the edits that result
// from the answers.

import type { BulkEdit } from '../../../domain/bulk/bulk-edit.ts'
import type { Resource } from '../../../domain/declarations/resource.ts'
import type { VerbAnswers } from '../../../domain/equipment/apply-verb.ts'
import { type VerbName, verbNames } from '../../../domain/equipment/verbs.ts'
import { resourceTexts, type Texts } from '../../i18n/index.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { type AskedQuestion, verbQuestions } from '../desk/questions.ts'

/** `verb`: what people do with equipment, such as `assign` or `return`. `branch`: moves people to another branch. */
export type BulkTask =
  | { name: VerbName; kind: 'verb' }
  | { name: 'move'; kind: 'branch' }
  | { name: 'edit' | 'export' | 'delete'; kind: 'edit' | 'export' | 'delete' }

/** Returns the tasks in menu order. `hand_over` is not offered, because `assign` also reassigns assets that someone
 *  already holds. */
export function tasksOf({ presentation: { tasks } }: RecordRequest): BulkTask[] {
  const common: BulkTask[] = (['edit', 'export', 'delete'] as const).map((each) => ({ name: each, kind: each }))
  if (tasks === 'verbs') {
    const offered = verbNames.filter((verb) => verb !== 'hand_over')
    return [...offered.toSorted(byUse).map((verb): BulkTask => ({ name: verb, kind: 'verb' })), ...common]
  }
  return tasks === 'branch' ? [{ name: 'move', kind: 'branch' }, ...common] : common
}

/** The verbs that people most often use for many items at once. The menu starts with them. */
const mostUsed: readonly VerbName[] = ['return', 'assign', 'move']

function byUse(one: VerbName, other: VerbName): number {
  const rank = (verb: VerbName) => (mostUsed.includes(verb) ? mostUsed.indexOf(verb) : mostUsed.length)
  return rank(one) - rank(other)
}

export function findTask(request: RecordRequest, name: string | null): BulkTask | undefined {
  return tasksOf(request).find((task) => task.name === name)
}

export function taskLabel(texts: Texts, { kind, name }: BulkTask): string {
  if (kind === 'verb') return texts.verbs.names[name]
  return texts.bulkEdits.tasks[kind === 'branch' ? 'move' : kind]
}

/** Returns the title of an edit's pages. It names the task and the number of records. */
export function taskTitle({ texts, resource }: RecordRequest, task: BulkTask, count: number): string {
  return texts.bulkEdits.title(taskLabel(texts, task), resourceTexts(texts, resource.name).count(count))
}

/** Whether a form asks for something before the records are checked. */
export function hasForm(task: BulkTask): boolean {
  return task.kind === 'edit' || taskQuestions(task).length > 0
}

export function taskQuestions(task: BulkTask): AskedQuestion[] {
  if (task.kind === 'branch') return [{ question: 'branch', required: true }]
  return task.kind === 'verb' ? verbQuestions(task.name).filter(({ required }) => required) : []
}

/** Returns the fields whose values users look at before they perform a task that asks questions. */
export function changingFields({ kind }: BulkTask): readonly string[] {
  return kind === 'branch' ? ['customer_id'] : ['employee_id', 'status']
}

/** Returns the edit that results from a task, other than `edit`, and its answers. */
export function toEdit({ name: resource }: Resource, task: BulkTask, answers: VerbAnswers): BulkEdit {
  if (task.kind === 'verb') return { resource, action: 'verb', verb: task.name, answers }
  if (task.kind === 'branch') return { resource, action: 'update', values: { customer_id: answers.branch! } }
  return { resource, action: 'delete' }
}
