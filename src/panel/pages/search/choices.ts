// Renders and reads form fields in which the user chooses a record, such as the person who receives an asset.

import { html } from 'ghtml'
import { type Resource, resourceNamed } from '../../../domain/declarations/resource.ts'
import { filtersOf } from '../../../domain/lists/request/options.ts'
import { fold } from '../../../domain/search/fold.ts'
import {
  type ComboboxState,
  combobox,
  comboboxFields,
  comboboxOptions,
  type Option,
} from '../../components/forms/combobox.ts'
import { hiddenFields, submitButton } from '../../components/forms/forms.ts'
import { includedRecord, type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { buttonRow } from '../../components/sections.ts'
import { capitalize, choiceLabel, ownText, resourceTexts, type Texts } from '../../i18n/index.ts'
import { readNumber } from '../../requests/read-number.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { findRecord, readPanelListRequest } from '../records/queries.ts'
import { findRecords, toSearchedText } from './find.ts'

/** `filter`: list parameters that restrict which records can be chosen. */
export type ChooserField = {
  name: string
  resource: string
  filter?: Readonly<Record<string, string>> | undefined
}

/** A field in which the user chooses a record, with its label, hint and error. */
type Chooser = ChooserField & Pick<ComboboxState, 'label' | 'required' | 'hint' | 'error' | 'autofocus'>

/** The id of the chosen record, or why there is none: the field is empty, no record matches the text, or several
 *  records match it. */
export type Chosen = { id: number; problem?: undefined } | { id: null; problem: 'empty' | 'unknown' | 'ambiguous' }

const maxOptions = 8

/** Renders the field. `value`: the id of the chosen record. If the form has been submitted, the field shows the
 *  typed text and the records that match it. */
export async function chooser(
  request: TenantRequest,
  field: Chooser,
  value: unknown,
  formValues: URLSearchParams = request.form,
): Promise<string> {
  const { texts } = request
  const resource = resourceNamed(request.resources, field.resource)
  const typed = formValues.get(comboboxFields(field.name).typed)
  const hasNewText = typed !== null && typed !== formValues.get(comboboxFields(field.name).searched)
  const chosen = hasNewText ? undefined : await findOption(request, resource, value)
  const mustSearch = typed !== null && typed.trim() !== '' && !chosen
  const options = mustSearch ? await search(request, field, typed) : []
  const only = options.length === 1 ? options[0] : undefined
  const source = pageUrl('search.php', { tenant: request.baseParams.tenant, for: field.resource, ...field.filter })
  const words = typed ?? chosen?.title ?? ''
  return combobox(texts, { ...field, words, chosen: chosen ?? only, options, source })
}

/** Reads the field from the submitted form. Typed text chooses a record if no other record matches the text,
 *  or if the text is the title of exactly one record. */
export async function readChosen(request: TenantRequest, field: ChooserField): Promise<Chosen> {
  const { form } = request
  const { typed, searched } = comboboxFields(field.name)
  const words = form.get(typed) ?? form.get(searched) ?? ''
  const chosen = form.get(typed) === form.get(searched) ? readNumber(form.get(field.name)) : undefined
  return chosen === undefined ? chooseByWords(request, field, words) : { id: chosen }
}

async function chooseByWords(request: TenantRequest, field: ChooserField, words: string): Promise<Chosen> {
  if (words.trim() === '') return { id: null, problem: 'empty' }
  const options = await search(request, field, words)
  if (options.length === 0) return { id: null, problem: 'unknown' }
  const named = options.filter(({ title }) => fold(title) === fold(words.trim()))
  const only = options.length === 1 ? options[0] : named.length === 1 ? named[0] : undefined
  return only ? { id: only.id } : { id: null, problem: 'ambiguous' }
}

/** Adds the ids of the chosen records to the form, under the names of their fields. Also returns an error message
 *  for each field with text that does not choose a record. Callers check whether an empty field is required. */
export async function withChosenRecords<Request extends TenantRequest>(
  request: Request,
  fields: readonly ChooserField[],
): Promise<{ request: Request; errors: Record<string, string> }> {
  const form = new URLSearchParams(request.form)
  const errors: Record<string, string> = {}
  for (const field of fields) {
    if (!form.has(comboboxFields(field.name).typed)) continue
    const { id, problem } = await readChosen(request, field)
    form.set(field.name, id === null ? '' : String(id))
    if (id === null && problem !== 'empty') errors[field.name] = chosenProblem(request.texts, field.resource, problem)
  }
  return { request: { ...request, form }, errors }
}

/** Returns the error message for a field in which no record was chosen. */
function chosenProblem(texts: Texts, resource: string, problem: NonNullable<Chosen['problem']>): string {
  const { choose } = texts.search
  return (ownText(choose, resource) ?? choose.records)[problem]
}

/** Renders the options that combobox.js shows while the user types. */
export async function showChoices(request: TenantRequest): Promise<PageResponse> {
  const { query, resources, texts } = request
  const resource = resources.find(({ name }) => name === query.get('for'))
  if (!resource) throw new PageError(404, 'not_found')
  const names = filtersOf(resource, resources).filters.map(({ name }) => name)
  const filter = Object.fromEntries([...query].filter(([name]) => names.includes(name)))
  const options = await search(request, { resource: resource.name, filter }, query.get('q') ?? '')
  const count = resourceTexts(texts, resource.name).count(options.length)
  const { none, first } = texts.search
  const announcement = options.length === 0 ? none : options.length < maxOptions ? count : first(count)
  return { kind: 'fragment', body: comboboxOptions(options, announcement) }
}

async function search(
  request: TenantRequest,
  { resource: name, filter = {} }: Pick<ChooserField, 'resource' | 'filter'>,
  words: string,
): Promise<Option[]> {
  const resource = resourceNamed(request.resources, name)
  const { deps } = request
  const { conditions } = readPanelListRequest(request, filter, resource)
  const group = { resource: resource.name, limit: maxOptions, conditions }
  const [found] = await findRecords(deps, request, toSearchedText(words), [group])
  return found!.records.map((record) => toOption(request, resource, record))
}

/** A hint names at most this many similar records. */
const maxSimilar = 3

/** Returns the titles of records that a text may mean: those with all of its words, or else with one of them. Of an
 *  email address, the part before the @ counts. */
export async function similarTitles(request: TenantRequest, field: ChooserField, text: string): Promise<string[]> {
  const words = text.replace(/@.*$/, '').split(/[\s\p{P}]+/u)
  for (const sought of [words.join(' '), ...words.filter((word) => word.length > 2).slice(0, maxSimilar)]) {
    const options = await search(request, field, sought)
    if (options.length > 0) return options.slice(0, maxSimilar).map(({ title }) => title)
  }
  return []
}

async function findOption(request: TenantRequest, resource: Resource, value: unknown): Promise<Option | undefined> {
  const id = Number(value ?? 0)
  const foundRecord = Number.isSafeInteger(id) && id > 0 ? await findRecord(request, resource, id) : undefined
  return foundRecord && toOption(request, resource, foundRecord.record)
}

/** An option shows the first two of these fields that have a value. */
const distinguishingFields = ['department', 'city', 'email', 'code', 'asset_tag', 'serial_number', 'model']

function toOption({ texts }: TenantRequest, resource: Resource, record: PanelRecord): Option {
  const title = titleOf(record, resource.title, texts)
  const references = Object.keys(resource.fields).filter((name) => resource.fields[name]!.kind === 'reference')
  const [to] = references.map((name) => includedRecord(record, name)).filter((each) => each !== null)
  const facts = distinguishingFields
    .map((name) => record[name])
    .filter((value) => typeof value === 'string' && value !== title)
  const stock = record.kind === 'storage' ? [choiceLabel(texts, 'storage')] : undefined
  const more = [...(stock ?? facts.slice(0, 2)), to ? titleOf(to) : undefined]
  return { id: record.id, title, more: more.filter((each) => each !== undefined && each !== title).join(' · ') }
}

/** `page`: the page to open for the chosen record. Its parameter `field.name` receives the record's id. */
type Question = { page: string; title: string; field: ChooserField }

/** Returns undefined if the URL already names the record. */
export async function askForRecord(request: TenantRequest, question: Question): Promise<PageResponse | undefined> {
  const { query, texts, baseParams } = request
  const { page, title, field } = question
  const isTyped = query.has(comboboxFields(field.name).typed)
  if (!isTyped && query.has(field.name)) return undefined
  const queryAsForm = { ...request, form: query }
  const chosen = isTyped && !query.has('find') ? await readChosen(queryAsForm, field) : undefined
  if (chosen && chosen.id !== null) return redirectTo(page, { ...baseParams, [field.name]: chosen.id })
  const error = chosen && chosenProblem(texts, field.resource, chosen.problem)
  const label = capitalize(texts, resourceTexts(texts, field.resource).one)
  const input = await chooser(queryAsForm, { ...field, label, error, autofocus: true }, query.get(field.name), query)
  const body = html`<form action="${page}" class="record">!${hiddenFields(baseParams)}!${input}
!${buttonRow(submitButton(texts.bulkEdits.go, { kind: 'main' }))}</form>`
  return { kind: 'page', title, body, status: error === undefined ? 200 : 422 }
}
