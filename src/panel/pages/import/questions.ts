// The questions about a draft whose columns are assigned: what unknown words mean, and what the file lacks.

import {
  assignedFieldOf,
  emptyValue,
  type Field,
  type Resource,
  resourceNamed,
  stockFieldOf,
} from '../../../domain/declarations/resource.ts'
import { defaultMatch, fieldOf, targetsOf } from '../../../domain/imports/columns/targets.ts'
import type { ImportDraft } from '../../../domain/imports/draft-operations.ts'
import type { ImportAnswers, UnknownWord } from '../../../domain/imports/import.ts'
import { hasWords } from '../../../domain/imports/unknown-words.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { suggestTags } from '../desk/new-assets.ts'
import { type NamedRecords, namedRecords } from './named-records.ts'

/** A column of choices with words that are not known. `title`: the column's title. */
export type AskedWords = { index: number; title: string; field: string; words: readonly UnknownWord[] }

/** A record that all rows refer to. `name`: the name of its input. `resource`: the record's resource. `isRequired`:
 *  whether rows need it. `emptyRows`: how many rows need it because their cell is empty; missing if the file has no
 *  column. */
export type AskedReference = { name: string; resource: string; isRequired: boolean; emptyRows?: number }

/** `words`: the columns with unknown words for choices. `records`: the columns with words that name no record.
 *  `asksWhere`: whether the user must say where everything is, because the file has no column for holders.
 *  `isOptional`: whether answers may stay empty, because the file changes existing records. `references`, `choices`:
 *  the fields that get one value for all rows. `tag`: the member that assigns tags, and the next tag. `missing`: a
 *  required field that needs a column, because its value differs between rows. */
export type Questions = {
  words: readonly AskedWords[]
  records: readonly NamedRecords[]
  asksWhere: boolean
  isOptional: boolean
  references: readonly AskedReference[]
  choices: readonly string[]
  tag: { member: string; next: string } | undefined
  missing: string | undefined
}

export async function questionsOf(
  request: TenantRequest,
  draft: ImportDraft,
  answers: ImportAnswers,
): Promise<Questions> {
  const resource = resourceNamed(request.resources, draft.resource)
  const columns = assignedFields(request, resource, answers)
  const records = await namedRecords(request, draft, answers)
  const hasKey = columns.has(answers.match ?? defaultMatch) || (draft.isExport && answers.match === null)
  const isOptional = hasKey && answers.changesRecords !== false
  const { name: holder, stock } = stockFieldOf(resource) ?? {}
  const lacking = Object.entries<Field>(resource.fields).filter(([name]) => !columns.has(name))
  const missing = lacking.find(([, field]) => field.kind !== 'reference' && 'required' in field && field.required)
  return {
    words: askedWords(request, draft, answers),
    records,
    asksWhere: stock !== undefined && !columns.has(stock.member) && !columns.has(holder!),
    isOptional,
    references: askedReferences(request, resource, { answers, columns, records }).map((asked) => {
      return { ...asked, isRequired: asked.emptyRows === undefined && !isOptional }
    }),
    choices: lacking.flatMap(([name, field]) => (field.kind === 'choice' ? [name] : [])),
    tag: await nextTag(request, resource),
    missing: hasKey ? undefined : missing?.[0],
  }
}

/** The required references that the file has no column for, or whose cells are partly empty. If the field is the
 *  holder, the question is about the stock instead, also if some holders in the file are unknown. */
function askedReferences(
  request: TenantRequest,
  resource: Resource,
  {
    answers,
    columns,
    records,
  }: { answers: ImportAnswers; columns: ReadonlySet<string>; records: readonly NamedRecords[] },
): Omit<AskedReference, 'isRequired'>[] {
  const { name: holder, stock } = stockFieldOf(resource) ?? {}
  return Object.entries<Field>(resource.fields).flatMap(([name, field]) => {
    if (field.kind !== 'reference' || field.required !== true) return []
    const isHolder = name === holder
    const rows = columns.has(name) ? emptyRows(request, resource, answers, name) : undefined
    // asksWhere asks, or the file names the stock
    if (isHolder && (rows === undefined || columns.has(stock!.member))) return []
    // no cell is empty, and every holder is known
    if (rows === 0 && !(isHolder && records.some(({ target }) => target.field === name))) return []
    const asked = isHolder ? { name: stock!.member, resource: stock!.of } : { name, resource: field.to }
    return [{ ...asked, ...(rows !== undefined && { emptyRows: rows }) }]
  })
}

/** The names of the fields and of the members of requests to which a column of the file is assigned. */
function assignedFields(
  { resources }: TenantRequest,
  resource: Resource,
  { names }: ImportAnswers,
): ReadonlySet<string> {
  const targets = targetsOf(resource, resources).filter(({ name }) => names.includes(name))
  return new Set([...targets.map(fieldOf), ...(names.includes('id') ? ['id'] : [])])
}

/** How many rows have an empty cell in the columns of a reference; of several columns, in the one with the fewest. */
function emptyRows(
  { resources }: TenantRequest,
  resource: Resource,
  { names, unknown = {} }: ImportAnswers,
  field: string,
): number {
  const ofField = targetsOf(resource, resources).filter((target) => fieldOf(target) === field)
  const columns = names.flatMap((name, index) => (ofField.some((target) => target.name === name) ? [index] : []))
  return Math.min(...columns.map((index) => unknown[index]?.find(({ word }) => word === '')?.rows ?? 0))
}

function askedWords(
  { resources }: TenantRequest,
  { columns, resource }: ImportDraft,
  { names, unknown = {} }: ImportAnswers,
): AskedWords[] {
  const { fields } = resourceNamed(resources, resource)
  return Object.entries(unknown).flatMap(([key, words]) => {
    const index = Number(key)
    const [title, field] = [columns[index]?.title, names[index]]
    return title !== undefined && field && hasWords(fields[field]) ? [{ index, title, field, words }] : []
  })
}

async function nextTag(request: TenantRequest, resource: Resource): Promise<Questions['tag']> {
  const assigned = assignedFieldOf(resource)
  const [next] = assigned ? await suggestTags(request, 1) : []
  return assigned && next !== undefined ? { member: assigned.member, next } : undefined
}

/** Whether the user is shown the questions. Choices alone are not asked, unless the default of one is `other`. */
export function isAsked(request: TenantRequest, draft: ImportDraft, questions: Questions): boolean {
  const { fields } = resourceNamed(request.resources, draft.resource)
  const { words, records, asksWhere, references, choices, tag } = questions
  if (asksWhere || tag || [words, records, references].some((each) => each.length > 0)) return true
  return choices.some((name) => emptyValue(fields[name]!) === 'other')
}
