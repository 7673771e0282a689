// The questions that forms at the desk ask, such as who receives an asset. This file renders the inputs and reads the
// answers from a submitted form.

import { html } from 'ghtml'
import type { VerbAnswers } from '../../../domain/equipment/apply-verb.ts'
import { type Question, questions, type Verb, type VerbName, verbs } from '../../../domain/equipment/verbs.ts'
import { isDay } from '../../../domain/fields/field-values.ts'
import { daysAfter } from '../../../domain/lists/request/operands.ts'
import { defaultButton, textField } from '../../components/forms/forms.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { dayOf } from '../../i18n/conventions.ts'
import { fieldLabel, type Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { PageError } from '../../responses.ts'
import { type FoundRecord, findById } from '../records/queries.ts'
import { type ChooserField, chooser } from '../search/choices.ts'
import type { Errors } from './desk-page.ts'

export const inputNames = { person: 'employee_id', branch: 'customer_id', due_back: 'due_back', note: 'note' } as const

/** The URL parameter that names the person a page is about. */
export const personField = { name: 'person', resource: 'employees', filter: { kind: 'person' } }

const longestNote = 500

/** `noteHint`: below the input for a note, says what to write. `hasLongNote`: whether the note may have several
 *  lines. */
export type AskedQuestion = {
  question: Question
  required: boolean
  noteHint?: (texts: Texts) => string
  hasLongNote?: boolean
}

export function verbQuestions(verb: VerbName): AskedQuestion[] {
  const { asks }: Verb = verbs[verb]
  const isRepair = verb === 'send_to_repair' || verb === 'back_from_repair'
  const noteHint = ({ verbs: texts }: Texts) => (isRepair ? texts.repairs.noteHint : texts.noteHint)
  return questions.flatMap((question) =>
    asks[question] ? [{ question, required: asks[question] === 'required', noteHint, hasLongNote: isRepair }] : [],
  )
}

/** Renders the inputs for the questions, with the submitted values. The first one receives the focus. */
export async function questionInputs(
  request: TenantRequest,
  asked: readonly AskedQuestion[],
  errors: Errors,
): Promise<string> {
  const inputs = await Promise.all(
    asked.map((each, index) => questionInput(request, each, errors[inputNames[each.question]], index === 0)),
  )
  return inputs.join('')
}

function questionInput(
  request: TenantRequest,
  { question, required, noteHint, hasLongNote = false }: AskedQuestion,
  error: string | undefined,
  autofocus: boolean,
): string | Promise<string> {
  const { texts, form } = request
  const name = inputNames[question]
  const value = form.getAll(name).at(-1) ?? ''
  switch (question) {
    case 'person':
      return chooserInput(request, question, { required, error, autofocus, label: texts.choices.person })
    case 'branch':
      return chooserInput(request, question, {
        required,
        error,
        autofocus,
        ...(!required && { hint: texts.verbs.sameBranch }),
      })
    case 'due_back':
      return dueBackInput(request, { value: form.get(fillName) ?? value, error, required })
    case 'note': {
      const hint = noteHint && { hint: noteHint(texts) }
      return textField({ name, label: texts.verbs.note, value, error, autofocus, hasLines: hasLongNote, ...hint })
    }
  }
}

/** The name of the buttons that fill in the end of a loan. */
const fillName = `fill.${inputNames.due_back}`

/** Whether the form was submitted only to fill in a date. */
export function fillsDate(form: URLSearchParams): boolean {
  return form.has(fillName)
}

/** Renders the end of a loan, with buttons for the usual days. Without scripts, a button submits the form. */
function dueBackInput(
  { texts, deps }: TenantRequest,
  field: { value: string; error: string | undefined; required: boolean },
): string {
  const name = inputNames.due_back
  const today = dayOf(texts, deps.now())
  const weekday = new Date(today).getUTCDay() // 0 is Sunday
  const friday = daysAfter(today, (12 - weekday) % 7 || 7)
  const days = [
    { day: friday, label: formatWeekday(texts, friday) },
    { day: daysAfter(today, 7), label: texts.verbs.weeks(1) },
    { day: daysAfter(today, 14), label: texts.verbs.weeks(2) },
  ]
  const buttons = days.map(
    ({ day, label }) =>
      html`<button name="${fillName}" value="${day}" formaction="#${name}" data-fills="${name}">${label}</button>`,
  )
  const more = html`<p class="actions">!${buttons}</p>`
  const required = field.required ? texts.required : undefined
  return defaultButton + textField({ ...field, name, label: fieldLabel(texts, name), type: 'date', required, more })
}

function formatWeekday({ locale }: Texts, day: string): string {
  return new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }).format(new Date(day))
}

/** The inputs in which the user chooses a record by its name. */
export const choosers = {
  person: { name: inputNames.person, resource: 'employees', filter: { kind: 'person', is_active: 'true' } },
  branch: { name: inputNames.branch, resource: 'customers', filter: { is_active: 'true' } },
} as const satisfies Partial<Record<Question, ChooserField>>

export function choosersFor(asked: readonly AskedQuestion[]): ChooserField[] {
  return asked.flatMap(({ question }) => (question === 'person' || question === 'branch' ? [choosers[question]] : []))
}

/** `hint`: says what happens if an optional input is left empty. */
export function chooserInput(
  request: TenantRequest,
  question: keyof typeof choosers,
  options: { required: boolean; error: string | undefined; autofocus?: boolean; hint?: string; label?: string },
): Promise<string> {
  const { texts, form } = request
  const field = choosers[question]
  return chooser(
    request,
    { ...field, label: fieldLabel(texts, field.name), ...options },
    form.getAll(field.name).at(-1),
  )
}

/** Whether the form contains an input for every required question. Buttons on other pages submit only the assets. The
 *  next page then asks the questions. */
export function hasAnswers(form: URLSearchParams, verb: VerbName): boolean {
  return form.has('asked') || verbQuestions(verb).every((each) => !each.required || form.has(inputNames[each.question]))
}

/** Reads and checks a submitted answer. Not called for an optional answer that is empty. */
type AnswerReader = (request: TenantRequest, text: string) => Promise<ReadAnswer> | ReadAnswer
type ReadAnswer = { answers: VerbAnswers; who?: string } | { error: string }

const readers: Record<Question, AnswerReader> = {
  async person(request, text) {
    const person = await findPerson(request, text)
    if (!person) return { error: request.texts.search.choose.employees.empty }
    const left = leftMessage(request, person)
    if (left !== undefined) return { error: left }
    return { answers: { person: person.id }, who: titleOf(person, ['name', 'email']) }
  },
  async branch(request, text) {
    const branch = await findOpenBranch(request, text)
    return branch ? { answers: { branch: branch.id } } : { error: request.texts.search.choose.customers.empty }
  },
  due_back({ texts, deps }, text) {
    if (!isDay(text)) return { error: texts.errors.invalid_date }
    if (text < dayOf(texts, deps.now())) return { error: texts.verbs.dayOver }
    return { answers: { dueBack: text } }
  },
  note({ texts, deps }, typed) {
    const text = typed.replaceAll('\r\n', '\n')
    if ([...text].length > longestNote) return { error: texts.recordPages.errors.tooLong(longestNote) }
    return { answers: { note: `${dayOf(texts, deps.now())}: ${text}` } }
  },
}

/** Reads the submitted answers. `who`: the name of the person chosen, which the confirmation shows. */
export async function readAnswers(request: TenantRequest, asked: readonly AskedQuestion[]) {
  const result: { answers: VerbAnswers; who: string; errors: Errors } = { answers: {}, who: '', errors: {} }
  for (const { question, required } of asked) {
    const name = inputNames[question]
    const text = (request.form.getAll(name).at(-1) ?? '').trim()
    if (text === '' && !required) continue
    const answer = await readers[question](request, text)
    if ('error' in answer) {
      result.errors[name] = answer.error
    } else {
      Object.assign(result.answers, answer.answers)
      result.who = answer.who ?? result.who
    }
  }
  return result
}

/** Returns a message if the person has left and therefore cannot be given anything. */
export function leftMessage({ texts, deps }: TenantRequest, person: PanelRecord): string | undefined {
  const isOver = typeof person.end_date === 'string' && person.end_date < dayOf(texts, deps.now())
  return person.is_active && !isOver ? undefined : texts.verbs.hasLeft(titleOf(person, ['name', 'email']))
}

/** Returns undefined for a storage location, and for an unknown or invalid id. */
export async function findPerson(request: TenantRequest, id: string | null): Promise<PanelRecord | undefined> {
  const person = (await findById(request, 'employees', id))?.record
  return person?.kind === 'person' ? person : undefined
}

/** Returns the person that the URL names. Throws a PageError with 404 if there is no such person. */
export async function requirePerson(request: TenantRequest): Promise<FoundRecord> {
  const foundRecord = await findById(request, 'employees', request.query.get(personField.name))
  if (foundRecord?.record.kind !== 'person') throw new PageError(404, 'not_found')
  return foundRecord
}

/** Returns undefined for a closed branch, and for an unknown or invalid id. */
export async function findOpenBranch(request: TenantRequest, id: string | null): Promise<PanelRecord | undefined> {
  const branch = (await findById(request, 'customers', id))?.record
  return branch?.is_active ? branch : undefined
}
