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
import type { TenantRequest } from '../../requests/request.ts'
import { suggestTags } from '../desk/new-assets.ts'

/** A column of choices with words that are not known. `title`: the column's title. */
export type AskedWords = { index: number; title: string; field: string; words: readonly UnknownWord[] }

/** A record that all rows refer to: by its input's name, and its resource. `isRequired`: whether rows need it. */
export type AskedReference = { name: string; resource: string; isRequired: boolean }

/** `asksWhere`: whether the file has no column for holders, so that the user says where everything is. `isOptional`:
 *  whether the file may only change records, which need no value. `references` and `choices`: fields that get one value
 *  for all rows. `tag`: the member that assigns tags, and the next tag. `missing`: a required field that needs a
 *  column, because rows cannot share its value. */
export type Questions = {
  words: readonly AskedWords[]
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
  const isOptional = columns.has(answers.match ?? defaultMatch) || (draft.isExport && answers.match === null)
  const { name: holder, stock } = stockFieldOf(resource) ?? {}
  const lacksStock = stock !== undefined && !columns.has(stock.member)
  const lacking = Object.entries<Field>(resource.fields).filter(([name]) => !columns.has(name))
  const references = lacking.flatMap(([name, field]): AskedReference[] => {
    const isAsked = field.kind === 'reference' && field.required === true && name !== holder
    return isAsked ? [{ name, resource: field.to, isRequired: !isOptional }] : []
  })
  const missing = lacking.find(([, field]) => field.kind !== 'reference' && 'required' in field && field.required)
  const rest = lacksStock && columns.has(holder!)
  return {
    words: askedWords(draft, answers),
    asksWhere: lacksStock && !columns.has(holder!),
    isOptional,
    references: rest ? [...references, { name: stock.member, resource: stock.of, isRequired: false }] : references,
    choices: lacking.flatMap(([name, field]) => (field.kind === 'choice' ? [name] : [])),
    tag: await nextTag(request, resource),
    missing: isOptional ? undefined : missing?.[0],
  }
}

/** The fields that the file has a column for, and the members of requests. */
function assignedFields(
  { resources }: TenantRequest,
  resource: Resource,
  { names }: ImportAnswers,
): ReadonlySet<string> {
  const targets = targetsOf(resource, resources).filter(({ name }) => names.includes(name))
  return new Set([...targets.map(fieldOf), ...(names.includes('id') ? ['id'] : [])])
}

function askedWords({ columns }: ImportDraft, { names, unknown = {} }: ImportAnswers): AskedWords[] {
  return Object.entries(unknown).flatMap(([key, words]) => {
    const index = Number(key)
    const [title, field] = [columns[index]?.title, names[index]]
    return title !== undefined && field ? [{ index, title, field, words }] : []
  })
}

async function nextTag(request: TenantRequest, resource: Resource): Promise<Questions['tag']> {
  const assigned = assignedFieldOf(resource)
  const [next] = assigned ? await suggestTags(request, 1) : []
  return assigned && next !== undefined ? { member: assigned.member, next } : undefined
}

/** Whether the user is shown the questions. A choice alone is no reason, unless its usual value says nothing. */
export function isAsked(request: TenantRequest, draft: ImportDraft, questions: Questions): boolean {
  const { fields } = resourceNamed(request.resources, draft.resource)
  const { words, asksWhere, references, choices, tag } = questions
  if (asksWhere || tag || words.length > 0 || references.length > 0) return true
  return choices.some((name) => emptyValue(fields[name]!) === 'other')
}
