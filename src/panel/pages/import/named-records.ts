// The questions about words in a file that name no record, or several: the user chooses the record that each of them
// means.

import { html } from 'ghtml'
import { resourceNamed, stockFieldOf } from '../../../domain/declarations/resource.ts'
import type { ReferenceTarget } from '../../../domain/imports/columns/columns.ts'
import { targetsOf } from '../../../domain/imports/columns/targets.ts'
import type { ImportDraft } from '../../../domain/imports/draft-operations.ts'
import type { ImportAnswers, UnknownWord } from '../../../domain/imports/import.ts'
import { importOperations } from '../../../domain/imports/operations.ts'
import { onlyRecord, type SoughtReference } from '../../../domain/imports/rows/references.ts'
import { withoutFound } from '../../../domain/imports/unknown-words.ts'
import { hiddenField } from '../../components/forms/forms.ts'
import { section } from '../../components/sections.ts'
import { resourceTexts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { listUrl, pageUrl } from '../../urls.ts'
import type { Errors } from '../desk/desk-page.ts'
import { findById } from '../records/queries.ts'
import { type ChooserField, chooser, similarTitles } from '../search/choices.ts'
import { shortenCell } from './page-parts.ts'

/** A column with words that name no record, or several. `resource`: that of the file. `words`: those that the user is
 *  asked about; empty if there are too many. `examples`: some of too many words. */
export type NamedRecords = {
  index: number
  resource: string
  title: string
  target: ReferenceTarget
  words: readonly UnknownWord[]
  examples: readonly string[]
}

/** With more words, most of the records are missing, and a person cannot choose them one by one. */
const maxWords = 20
const maxExamples = 3

/** Returns the columns with such words. A word counts no longer if its record has been added since, unless the user has
 *  already answered. */
export async function namedRecords(
  request: TenantRequest,
  draft: ImportDraft,
  { names, value, unknown = {} }: ImportAnswers,
): Promise<NamedRecords[]> {
  const { resources } = request
  const targets = targetsOf(resourceNamed(resources, draft.resource), resources)
  const asked: NamedRecords[] = []
  for (const [key, words] of Object.entries(unknown)) {
    const index = Number(key)
    const { title } = draft.columns[index]!
    const target = targets.find(({ name }) => name === names[index])
    const filled = words.filter(({ word }) => word !== '')
    if (target?.kind !== 'reference' || filled.length === 0) continue
    const examples = filled.slice(0, maxExamples).map(({ word }) => word)
    const missing = await withoutFound((sought) => findReadings(request, sought), target, filled, draft.isExport)
    const isAsked = (each: UnknownWord) => missing.includes(each) || Object.hasOwn(value[title] ?? {}, each.word)
    const shown = filled.filter(isAsked)
    const isMany = shown.length > maxWords
    if (shown.length > 0)
      asked.push({ index, resource: draft.resource, title, target, words: isMany ? [] : shown, examples })
  }
  return asked
}

function chooserOf({ index, target }: NamedRecords, at: number): ChooserField {
  return { name: `record.${index}.${at}.${target.field}`, resource: target.to }
}

/** The names of the inputs for a word: the hidden word itself, and whether it stands for nothing. */
const wordInput = ({ index }: NamedRecords, at: number) => `named.${index}.${at}`
const emptyInput = ({ index }: NamedRecords, at: number) => `none.${index}.${at}`

export function recordChoosers(asked: readonly NamedRecords[]): ChooserField[] {
  return asked.flatMap((each) => each.words.map((_, at) => chooserOf(each, at)))
}

/** Asks for the record that each word of a column means. */
export async function namedRecordsSection(
  request: TenantRequest,
  asked: NamedRecords,
  { answers, errors }: { answers: ImportAnswers; errors: Errors },
): Promise<string> {
  const { texts, baseParams } = request
  const { notFound, notFoundHelp, notFoundMany, newTab } = texts.imports
  const { to } = asked.target
  const { many, import: importList } = resourceTexts(texts, to)
  const examples = asked.examples.map((word) => shortenCell(word)).join(' · ')
  const isMany = asked.words.length === 0
  const help = isMany ? notFoundMany(many, examples) : notFoundHelp
  const url = pageUrl('import.php', { ...baseParams, resource: to })
  const link = isMany ? html`<a href="${url}" target="_blank">${importList} (${newTab})</a>` : ''
  const fields = asked.words.map((word, at) => wordField(request, asked, at, { word, answers, errors }))
  const grid = isMany ? '' : html`<div class="grid">!${await Promise.all(fields)}</div>`
  return section(notFound(shortenCell(asked.title)), html`<p class="hint">${help} !${link}</p>!${grid}`)
}

type AskedWord = { word: UnknownWord; answers: ImportAnswers; errors: Errors }

async function wordField(
  request: TenantRequest,
  asked: NamedRecords,
  at: number,
  { word: { word, rows }, answers, errors }: AskedWord,
): Promise<string> {
  const { texts, isForm, form } = request
  const { rowCount, similar, newTab, noHolder } = texts.imports
  const { to, by } = asked.target
  const field = chooserOf(asked, at)
  const stored = answers.value[asked.title]?.[word]
  const chosen = isForm ? form.getAll(field.name).at(-1) : await recordNamed(request, asked.target, stored)
  const titles = await similarTitles(request, field, word)
  const hint = [rowCount(rows), ...(titles.length > 0 ? [similar(titles.join(' · '))] : [])].join('. ')
  const label = shortenCell(word)
  const input = await chooser(request, { ...field, label, hint, error: errors[field.name] }, chosen)
  const name = emptyInput(asked, at)
  const isEmpty = isForm ? form.has(name) : stored === ''
  const empty = html`<div class="field check"><input type="checkbox" id="${name}" name="${name}" value="true"
!${isEmpty ? ' checked' : ''}><label for="${name}">${noHolder}</label></div>`
  const known = { [word.includes('@') ? 'email' : by === 'id' ? 'name' : by]: word }
  const url = listUrl(request, to, { new: 1, ...known })
  const { add } = resourceTexts(texts, to)
  const link = html`<p class="hint"><a href="${url}" target="_blank">${add} (${newTab})</a></p>`
  const isHolder = stockFieldOf(resourceNamed(request.resources, asked.resource))?.name === asked.target.field
  return html`<div>!${hiddenField(wordInput(asked, at), word)}!${input}!${isHolder ? empty : ''}!${link}</div>`
}

function findReadings({ deps, tenant }: TenantRequest, references: readonly SoughtReference[]) {
  return deps.engine.run(tenant, importOperations.findReadings, { references })
}

/** Returns the id of the record that a word names. */
async function recordNamed(
  request: TenantRequest,
  { to, by, readings = [by] }: ReferenceTarget,
  value: string | undefined,
): Promise<number | undefined> {
  if (!value) return undefined
  const [found] = await findReadings(request, [{ to, readings, value }])
  return onlyRecord(found!)
}

/** Reads which records the words mean. A word without an answer stays as it is, so its rows have an error. `names`: the
 *  targets of the columns; a column is read in every way if its own does not find a record. */
export async function readNamedRecords(request: TenantRequest, draft: ImportDraft, asked: readonly NamedRecords[]) {
  const { form, texts, resources } = request
  const [value, names, errors]: [ImportAnswers['value'], Record<number, string>, Errors] = [{}, {}, {}]
  const targets = targetsOf(resourceNamed(resources, draft.resource), resources)
  for (const each of asked) {
    const { index, title, target } = each
    const inAnyWay = targets.find(
      (other) => other.kind === 'reference' && other.field === target.field && other.readings !== undefined,
    ) as ReferenceTarget
    const meanings: [string, string][] = []
    for (const at of each.words.keys()) {
      const word = form.get(wordInput(each, at))
      const { name } = chooserOf(each, at)
      const id = form.getAll(name).at(-1) || null
      if (word === null) continue
      if (form.has(emptyInput(each, at))) meanings.push([word, ''])
      if (form.has(emptyInput(each, at)) || id === null) continue
      const own = await nameOf(request, target, id)
      const text = own ?? (await nameOf(request, inAnyWay, id))
      if (text === undefined) errors[name] = texts.imports.notNamed
      else meanings.push([word, text])
      if (own === undefined && text !== undefined) names[index] = inAnyWay.name
    }
    value[title] = Object.fromEntries(meanings)
  }
  return { value, names, errors }
}

/** Returns a text by which the column finds this record and no other. */
async function nameOf(
  request: TenantRequest,
  { to, by, readings = [by] }: ReferenceTarget,
  id: string,
): Promise<string | undefined> {
  const record = (await findById(request, to, id))?.record
  const values = readings.toReversed().flatMap((name) => (record?.[name] ? String(record[name]) : []))
  const references = values.map((value) => ({ to, readings, value }))
  const found = await findReadings(request, references)
  return values.find((_, at) => onlyRecord(found[at]!) === record?.id)
}
