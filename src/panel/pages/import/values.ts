// The step of an import in which the user says what unknown words mean, and gives all rows what the file lacks.

import { html } from 'ghtml'
import { emptyValue, type Field, resourceNamed } from '../../../domain/declarations/resource.ts'
import { guessChoice } from '../../../domain/imports/columns/guess.ts'
import type { ImportDraft } from '../../../domain/imports/draft-operations.ts'
import type { ImportAnswers } from '../../../domain/imports/import.ts'
import {
  type Choice,
  choiceOptions,
  errorList,
  errorSummary,
  form,
  hiddenField,
  selectField,
  submitButton,
  yesNoChoices,
} from '../../components/forms/forms.ts'
import { table } from '../../components/lists/table.ts'
import { buttonRow, section } from '../../components/sections.ts'
import { choiceLabel, fieldLabel, resourceTexts, type Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import type { Errors } from '../desk/desk-page.ts'
import { stockName } from '../desk/stock-field.ts'
import { whereField } from '../desk/where.ts'
import { type ChooserField, chooser } from '../search/choices.ts'
import { namedRecordsSection } from './named-records.ts'
import { importUrl, shortenCell, steps } from './page-parts.ts'
import type { AskedReference, AskedWords, Questions } from './questions.ts'

/** The answer that a word stands for nothing. No choice is called so. */
export const emptyAnswer = '='

/** `errors`: by input name. */
export type ValuesPage = { draft: ImportDraft; answers: ImportAnswers; questions: Questions; errors: Errors }

/** Shows the stored answers, or those of the submitted form. */
export async function valuesPage(request: TenantRequest, page: ValuesPage): Promise<PageResponse> {
  const { texts } = request
  const { draft, questions, errors } = page
  const { valuesIntro, check, changeColumns, discard } = texts.imports
  const back = importUrl(request, draft.id, { step: 'columns' })
  const buttons = buttonRow(
    submitButton(check, { kind: 'main' }),
    html`<a class="button" href="${back}">${changeColumns}</a>`,
    submitButton(discard, { name: 'discard' }),
  )
  const words = questions.words.map((asked) => wordsSection(request, page, asked))
  for (const asked of questions.records) words.push(await namedRecordsSection(request, asked, page))
  const fields = html`!${hiddenField('step', 'values')}!${words}!${await rowsSection(request, page)}!${buttons}`
  const hasErrors = Object.keys(errors).length > 0
  const summary = hasErrors ? errorSummary(texts.records.invalid, errorList(texts, errors)) : ''
  const body = html`!${steps(request, 2, draft.id)}<p class="lead">${valuesIntro}</p>!${summary}
!${form(request, importUrl(request, draft.id), fields, { className: 'import' })}`
  const title = resourceTexts(texts, draft.resource).import
  return { kind: 'page', title, body, status: hasErrors ? 422 : 200 }
}

/** The names of the inputs for a word: the hidden word itself, and what it means. */
export const wordInput = ({ index }: AskedWords, at: number) => `word.${index}.${at}`
export const meaningInput = ({ index }: AskedWords, at: number) => `means.${index}.${at}`

/** Asks what each word of a column means. */
function wordsSection(request: TenantRequest, { draft, answers }: ValuesPage, asked: AskedWords): string {
  const { texts, resources, form: formValues } = request
  const { word: wordLabel, rows: rowsLabel, rowCount, means, undecided, leaveEmpty, unknownWords } = texts.imports
  const resource = resourceNamed(resources, draft.resource)
  const field = resource.fields[asked.field]!
  const choices: Choice[] = [['', undecided], ...choicesOf(texts, field), [emptyAnswer, leaveEmpty]]
  const stored = answers.value[asked.title] ?? {}
  const rows = asked.words.map(({ word, rows: count }, at) => {
    const given = Object.hasOwn(stored, word) ? stored[word] || emptyAnswer : guessChoice(resource, field, word)
    const value = formValues.get(meaningInput(asked, at)) ?? given
    const name = meaningInput(asked, at)
    return [
      html`<label for="${name}" dir="auto">${shortenCell(word)}</label>!${hiddenField(wordInput(asked, at), word)}`,
      html`${rowCount(count)}`,
      html`<select id="${name}" name="${name}">!${choiceOptions(choices, value ?? '')}</select>`,
    ]
  })
  const head = [{ label: wordLabel }, { label: rowsLabel }, { label: means(fieldLabel(texts, asked.field)) }]
  return section(unknownWords(shortenCell(asked.title)), table({ head, rows, name: 'asked' }))
}

function choicesOf(texts: Texts, field: Field): Choice[] {
  if (field.kind === 'choice') return field.of.map((each) => [each, choiceLabel(texts, each)] as const)
  return yesNoChoices(texts)
}

/** Asks for values for all rows. */
async function rowsSection(request: TenantRequest, page: ValuesPage): Promise<string> {
  const { asksWhere, references, choices } = page.questions
  const { forAllRows, forAllRowsHelp } = request.texts.imports
  const inputs = [
    asksWhere ? await holderInput(request, page) : '',
    ...(await Promise.all(references.map((asked) => referenceInput(request, page, asked)))),
    ...choices.map((name) => choiceInput(request, page, name)),
    tagInput(request, page),
  ].filter((input) => input !== '')
  if (inputs.length === 0) return ''
  return section(forAllRows, html`<p class="hint">${forAllRowsHelp}</p><div class="grid">!${inputs}</div>`)
}

function holderInput(request: TenantRequest, { answers: { set }, questions, errors }: ValuesPage): Promise<string> {
  const stored = Object.hasOwn(set, stockName) ? new URLSearchParams({ where: 'storage', ...set }) : undefined
  const { isOptional } = questions
  const formValues = request.isForm ? request.form : stored
  return whereField(request, { values: set, formValues, isOptional }, errors)
}

/** The name of the input for a value that all rows get. */
export const setInput = (name: string) => `set.${name}`

export function chooserOf({ resources }: TenantRequest, { name, resource }: AskedReference): ChooserField {
  const { fields } = resourceNamed(resources, resource)
  return { name: setInput(name), resource, filter: Object.hasOwn(fields, 'is_active') ? { is_active: 'true' } : {} }
}

function referenceInput(
  request: TenantRequest,
  { answers: { set }, errors }: ValuesPage,
  asked: AskedReference,
): Promise<string> {
  const { texts } = request
  const field = chooserOf(request, asked)
  const { isRequired, emptyRows } = asked
  const { stockFor, stockHint, emptyHint } = texts.imports
  const hintFor = asked.name === stockName ? stockHint : emptyHint
  const hint = emptyRows === undefined ? {} : { hint: emptyRows === 0 ? stockFor : hintFor(emptyRows) }
  const chosen = request.isForm ? request.form.getAll(field.name).at(-1) : set[asked.name]
  const label = fieldLabel(texts, asked.name)
  return chooser(request, { ...field, label, required: isRequired, error: errors[field.name], ...hint }, chosen)
}

/** A record that is created without a value gets the usual one, so a record that exists keeps its own. */
function choiceInput({ texts, resources, form: formValues }: TenantRequest, page: ValuesPage, name: string): string {
  const field = resourceNamed(resources, page.draft.resource).fields[name]!
  const usual = choiceLabel(texts, String(emptyValue(field)))
  const choices: Choice[] = [['', texts.imports.usual(usual)], ...choicesOf(texts, field)]
  const value = formValues.get(setInput(name)) ?? page.answers.set[name] ?? ''
  return selectField({ name: setInput(name), label: fieldLabel(texts, name), choices, value })
}

function tagInput({ texts, isForm, form: formValues }: TenantRequest, { questions, answers }: ValuesPage): string {
  if (!questions.tag) return ''
  const { member, next } = questions.tag
  const name = setInput(member)
  const isChecked = isForm ? formValues.has(name) : Object.hasOwn(answers.set, member)
  return html`<div class="field check wide"><input type="checkbox" id="${name}" name="${name}" value="true"
!${isChecked ? ' checked' : ''}><label for="${name}">${texts.imports.assignTags(next)}</label></div>`
}
