// The questions that a verb asks. A verb is something that people do with an asset, such as lending it. This file
// renders the inputs and reads the answers from a submitted form.

import { resourceNamed } from '../../../domain/declarations/resource.ts'
import type { VerbAnswers } from '../../../domain/equipment/apply-verb.ts'
import { type Question, type Verb, type VerbName, verbs } from '../../../domain/equipment/verbs.ts'
import { isDay } from '../../../domain/fields/field-values.ts'
import { textField } from '../../components/forms/forms.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { dayOf } from '../../i18n/conventions.ts'
import { fieldLabel, type Texts } from '../../i18n/index.ts'
import { readNumber } from '../../requests/read-number.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { PageError } from '../../responses.ts'
import { findRecord } from '../records/queries.ts'
import { type ChooserField, chooser } from '../search/choices.ts'

/** The input names, by question. */
export const inputNames = { person: 'employee_id', branch: 'customer_id', due_back: 'due_back', note: 'note' } as const

/** The URL parameter that names the person a page is about. */
export const personField = { name: 'person', resource: 'employees', filter: { kind: 'person' } }

/** The error messages, by input name. */
export type Errors = Record<string, string>

/** A form that is shown again. `summary`: the reason. */
export type Draft = { errors: Errors; summary?: string; status?: number }

export const longestNote = 500

/** `who`: the name of the person chosen, which the confirmation shows. */
export type AnswersWithErrors = { answers: VerbAnswers; who: string; errors: Errors }

export function questionsOf(verb: VerbName): [Question, 'required' | 'optional'][] {
  const { asks }: Verb = verbs[verb]
  return Object.entries(asks) as [Question, 'required' | 'optional'][]
}

/** Renders the inputs for the verb's questions, with the submitted values. */
export async function questionInputs(request: TenantRequest, verb: VerbName, errors: Errors): Promise<string> {
  const inputs = await Promise.all(questionsOf(verb).map((each) => questionInput(request, verb, each, errors)))
  return inputs.join('')
}

function questionInput(
  request: TenantRequest,
  verb: VerbName,
  [question, need]: ReturnType<typeof questionsOf>[number],
  errors: Errors,
): string | Promise<string> {
  const required = need === 'required'
  const { texts, form } = request
  const name = inputNames[question]
  const [value, error] = [form.getAll(name).at(-1) ?? '', errors[name]]
  switch (question) {
    case 'person':
      return chooserInput(request, question, { required, error })
    case 'branch':
      return chooserInput(request, question, { required, error, ...(!required && { hint: texts.verbs.sameBranch }) })
    case 'due_back':
      return textField({ name, label: fieldLabel(texts, name), type: 'date', value, error, required })
    case 'note':
      return textField({ name, label: texts.verbs.note, value, hint: noteHint(texts, verb), error })
  }
}

function noteHint({ verbs: { noteHint, repairs } }: Texts, verb: VerbName): string {
  return verb === 'send_to_repair' || verb === 'back_from_repair' ? repairs.noteHint : noteHint
}

/** The inputs in which the user chooses a record by its name. */
export const choosers = {
  person: { name: inputNames.person, resource: 'employees', filter: { kind: 'person', is_active: 'true' } },
  branch: { name: inputNames.branch, resource: 'customers', filter: { is_active: 'true' } },
} as const satisfies Partial<Record<Question, ChooserField>>

export function choosersOf(verb: VerbName): ChooserField[] {
  return questionsOf(verb).flatMap(([question]) =>
    question === 'person' || question === 'branch' ? [choosers[question]] : [],
  )
}

/** `hint`: says what happens if an optional input is left empty. */
export function chooserInput(
  request: TenantRequest,
  question: keyof typeof choosers,
  options: { required: boolean; error: string | undefined; hint?: string; label?: string },
): Promise<string> {
  const { texts, form } = request
  const field = choosers[question]
  const { label = fieldLabel(texts, field.name), required, ...others } = options
  return chooser(request, { ...field, ...others, label, ...(required && { required }) }, form.getAll(field.name).at(-1))
}

/** Whether the form contains an input for every required question. Buttons on other pages submit only the assets. The
 *  next page then asks the questions. */
export function hasQuestions(verb: VerbName, form: URLSearchParams): boolean {
  return questionsOf(verb).every(
    ([question, need]) => need === 'optional' || form.has(inputNames[question]) || form.has('asked'),
  )
}

/** Reads and checks a submitted answer. Not called for an optional answer that is empty. */
type AnswerReader = (request: TenantRequest, given: string) => Promise<ReadResult> | ReadResult
type ReadResult = { answers: VerbAnswers; who?: string } | { error: string }

const readers: Record<Question, AnswerReader> = {
  async person(request, given) {
    const person = await findPerson(request, given)
    if (!person) return { error: request.texts.verbs.choosePerson }
    const left = leftMessage(request, person)
    if (left !== undefined) return { error: left }
    return { answers: { person: person.id }, who: titleOf(person, ['name', 'email']) }
  },
  async branch(request, given) {
    const branch = await findOpenBranch(request, given)
    return branch ? { answers: { branch: branch.id } } : { error: request.texts.verbs.chooseBranch }
  },
  due_back({ texts, deps }, given) {
    if (!isDay(given)) return { error: texts.errors.invalid_date }
    if (given < dayOf(texts, deps.now())) return { error: texts.verbs.dayOver }
    return { answers: { dueBack: given } }
  },
  note({ texts, deps }, given) {
    if ([...given].length > longestNote) return { error: texts.verbs.noteTooLong(longestNote) }
    return { answers: { note: `${dayOf(texts, deps.now())}: ${given}` } }
  },
}

export async function readAnswers(request: TenantRequest, verb: VerbName): Promise<AnswersWithErrors> {
  const answered: AnswersWithErrors = { answers: {}, who: '', errors: {} }
  for (const [question, need] of questionsOf(verb)) {
    const name = inputNames[question]
    const given = (request.form.getAll(name).at(-1) ?? '').trim()
    if (given === '' && need === 'optional') continue
    const result = await readers[question](request, given)
    if ('error' in result) {
      answered.errors[name] = result.error
    } else {
      Object.assign(answered.answers, result.answers)
      answered.who = result.who ?? answered.who
    }
  }
  return answered
}

/** Returns a message if the person has left and therefore cannot be given anything. */
export function leftMessage({ texts, deps }: TenantRequest, person: PanelRecord): string | undefined {
  const isOver = typeof person.end_date === 'string' && person.end_date < dayOf(texts, deps.now())
  return person.is_active && !isOver ? undefined : texts.verbs.hasLeft(titleOf(person, ['name', 'email']))
}

/** Returns undefined for a storage location, and for an unknown or invalid id. */
export async function findPerson(request: TenantRequest, id: string): Promise<PanelRecord | undefined> {
  const person = await findById(request, 'employees', id)
  return person?.kind === 'person' ? person : undefined
}

/** Returns the person that the URL names. Throws a PageError with 404 if there is no such person. */
export async function requirePerson(request: TenantRequest): Promise<PanelRecord> {
  const person = await findPerson(request, request.query.get(personField.name) ?? '')
  if (!person) throw new PageError(404, 'not_found')
  return person
}

/** Returns undefined for a closed branch, and for an unknown or invalid id. */
export async function findOpenBranch(request: TenantRequest, id: string): Promise<PanelRecord | undefined> {
  const branch = await findById(request, 'customers', id)
  return branch?.is_active ? branch : undefined
}

async function findById(request: TenantRequest, resource: string, id: string): Promise<PanelRecord | undefined> {
  const number = readNumber(id)
  if (number === undefined) return undefined
  return (await findRecord(request, resourceNamed(request.resources, resource), number))?.record
}
