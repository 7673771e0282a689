// Reads the answers to a task's questions, either from the submitted form or from the preview's URL.

import { validateChanges } from '../../../domain/fields/validate.ts'
import { dayOf, parseAmount } from '../../i18n/conventions.ts'
import { choosers, findOpenBranch, findPerson, inputNames, leftMessage } from '../desk/questions.ts'
import { toInvalidOutcome } from '../records/mutations.ts'
import type { RecordRequest } from '../records/request.ts'
import type { ChooserField } from '../search/choices.ts'
import { type Answers, editableFields, type Question, questionsOf, type Task } from './tasks.ts'

/** The error messages for missing and invalid answers, by input name. */
export type AnswerErrors = Record<string, string>

export type AnswersOrErrors = { answers: Answers } | { errors: AnswerErrors }

export function choosersOf(task: Task): ChooserField[] {
  return questionsOf(task).flatMap((question) =>
    question === 'person' || question === 'branch' ? [choosers[question]] : [],
  )
}

/** The name of the checkboxes that choose the fields to change. The input for a new value has the field's name. */
export const fieldChoiceName = 'change'

/** Whether the parameters contain an answer to every question, valid or not. */
export function hasAnswers(task: Task, given: URLSearchParams): boolean {
  const names = { ...inputNames, fields: fieldChoiceName }
  return questionsOf(task).every((question) => given.has(names[question]))
}

export async function readAnswers(
  request: RecordRequest,
  task: Task,
  given: URLSearchParams,
): Promise<AnswersOrErrors> {
  const answers: Answers = {}
  const errors: AnswerErrors = {}
  for (const question of questionsOf(task)) {
    Object.assign(errors, await readAnswer(request, question, given, answers))
  }
  return Object.keys(errors).length > 0 ? { errors } : { answers }
}

/** Adds a valid answer to `answers`. Returns error messages for an invalid answer. */
async function readAnswer(
  request: RecordRequest,
  question: Question,
  given: URLSearchParams,
  answers: Answers,
): Promise<AnswerErrors> {
  const { texts } = request
  switch (question) {
    case 'person': {
      const person = await findPerson(request, given.get(inputNames.person) ?? '')
      const error = person ? leftMessage(request, person) : texts.bulkEdits.choosePerson
      if (!person || error !== undefined) return { [inputNames.person]: error! }
      answers.person = person.id
      return {}
    }
    case 'branch': {
      const branch = await findOpenBranch(request, given.get(inputNames.branch) ?? '')
      if (!branch) return { [inputNames.branch]: texts.bulkEdits.chooseBranch }
      answers.branch = branch.id
      return {}
    }
    case 'due_back': {
      const outcome = validate(request, { due_back: given.get(inputNames.due_back) ?? '' })
      const day = 'values' in outcome ? outcome.values.due_back : null
      if (typeof day !== 'string') return { [inputNames.due_back]: texts.bulkEdits.chooseDay }
      if (day < dayOf(texts, request.deps.now())) return { [inputNames.due_back]: texts.verbs.dayOver }
      answers.dueBack = day
      return {}
    }
    case 'fields': {
      const outcome = readFields(request, given)
      if ('errors' in outcome) return outcome.errors
      answers.values = outcome.values
      return {}
    }
  }
}

type Values = NonNullable<Answers['values']>

function readFields(request: RecordRequest, given: URLSearchParams): { values: Values } | { errors: AnswerErrors } {
  const { texts, resource } = request
  const chosen = new Set(given.getAll(fieldChoiceName))
  const typed = editableFields(resource).flatMap(([name, field]) => {
    if (!chosen.has(name)) return []
    const text = given.getAll(name).at(-1) ?? ''
    return [[name, field.kind === 'integer' && field.isAmount ? parseAmount(texts, text) : text] as const]
  })
  if (typed.length === 0) return { errors: { [fieldChoiceName]: texts.bulkEdits.noFields } }
  return validate(request, Object.fromEntries(typed))
}

function validate(
  { texts, resource }: RecordRequest,
  body: Record<string, string>,
): { values: Values } | { errors: AnswerErrors } {
  try {
    return { values: validateChanges(resource, body).values }
  } catch (error) {
    const outcome = toInvalidOutcome(error)
    if ('record' in outcome) throw error
    return {
      errors: Object.fromEntries(
        Object.entries(outcome.errors).map(([name, { code }]) => [
          name,
          (texts.errors as Record<string, string>)[code]!,
        ]),
      ),
    }
  }
}

/** Returns the answers in `given` as parameters for the preview's URL. */
export function answerParams(task: Task, given: URLSearchParams): [name: string, value: string][] {
  return questionsOf(task).flatMap((question): [string, string][] => {
    if (question !== 'fields') return [[inputNames[question], given.get(inputNames[question]) ?? '']]
    return given.getAll(fieldChoiceName).flatMap((name): [string, string][] => [
      [fieldChoiceName, name],
      [name, given.getAll(name).at(-1) ?? ''],
    ])
  })
}
