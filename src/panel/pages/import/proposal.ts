// Proposes a target for each column of a draft, and says which proposals a person should look at.

import { type Resource, type Resources, resourceNamed } from '../../../domain/declarations/resource.ts'
import type { ColumnTarget, FileColumn } from '../../../domain/imports/columns/columns.ts'
import { guessColumns, isLikely } from '../../../domain/imports/columns/guess.ts'
import { defaultMatch, matchColumnsOf, targetsOf } from '../../../domain/imports/columns/targets.ts'
import type { ImportDraft } from '../../../domain/imports/draft-operations.ts'
import type { ImportAnswers } from '../../../domain/imports/import.ts'
import { answersOfMapping } from '../../../domain/imports/mappings/fitting.ts'
import type { ProposedMapping } from '../../../domain/imports/mappings/operations.ts'
import { hasWords } from '../../../domain/imports/unknown-words.ts'
import type { TenantRequest } from '../../requests/request.ts'

/** Why a person should look at a proposal: it is a guess, or the cells do not look like values of the field.
 *  `answered`: the person has looked, and has chosen something else. */
export type Doubt = 'title' | 'part' | 'cells' | 'unlikely' | 'answered'

type GivenColumns = Pick<ImportAnswers, 'names' | 'match'>

/** `names`: the target of each column; '' if the column is not imported. `doubts`: null for each column that is clear.
 *  `match`: the target that identifies existing records. */
export type Proposal = { names: string[]; doubts: (Doubt | null)[]; match: string }

/** Returns what a person has answered, and otherwise what a mapping or the file's titles and cells suggest. `given`:
 *  what the person has just answered. */
export function proposalOf(
  { resources }: TenantRequest,
  draft: ImportDraft,
  { given = draft.answers, mapping = null }: { given?: GivenColumns | null; mapping?: ProposedMapping | null } = {},
): Proposal {
  const resource = resourceNamed(resources, draft.resource)
  const { columns, isMapped, match: mappedMatch } = mappedColumns(draft, mapping, resource, resources)
  const cellsOf = (index: number) => draft.columns[index]?.samples ?? []
  const guesses = guessColumns(columns, cellsOf, resource, resources)
  const guessOf = (index: number) => (mapping ? null : guesses[index]) // the mapping knows the file better
  const proposed = columns.map(({ target }, index) => (target ?? guessOf(index)?.target)?.name ?? '')
  const names = given ? columns.map((_, index) => given.names[index] ?? '') : proposed
  const doubts = columns.map(({ target }, index): Doubt | null => {
    const isClear = isMapped(index) || (target !== null && looksRight(resource, target, cellsOf(index)))
    const doubt = isClear ? null : target ? 'unlikely' : (guessOf(index)?.by ?? null)
    return doubt !== null && names[index] !== proposed[index] ? 'answered' : doubt
  })
  if (given) return { names, doubts, match: given.match ?? defaultMatch }
  if (mapping?.isLatest) return { names, doubts, match: mapping.match ?? defaultMatch }
  const keys = matchColumnsOf(resource).filter((name) => names.includes(name))
  const match = draft.isExport ? draft.match : [mappedMatch, draft.match].find((name) => keys.includes(name))
  return { names, doubts, match: match ?? keys[0] ?? draft.match }
}

/** Returns the draft's columns with the targets that a mapping gives them. */
function mappedColumns(
  { columns, match }: ImportDraft,
  mapping: ProposedMapping | null,
  resource: Resource,
  resources: Resources,
): { columns: FileColumn[]; isMapped: (index: number) => boolean; match: string } {
  if (!mapping) return { columns, isMapped: () => false, match }
  const titles = columns.map(({ title }) => title)
  const mapped = answersOfMapping(mapping, titles, resource, resources)
  const targets = targetsOf(resource, resources)
  return {
    columns: columns.map((column) => {
      if (!Object.hasOwn(mapped.map, column.title)) return column
      return { ...column, target: targets.find(({ name }) => name === mapped.map[column.title]) ?? null }
    }),
    isMapped: (index) => Object.hasOwn(mapped.map, titles[index]!),
    match: mapped.match ?? match,
  }
}

/** Words that are not known are no reason for doubt, because they are asked about later. */
function looksRight(resource: Resource, target: ColumnTarget, cells: readonly string[]): boolean {
  const mayHaveWords = target.kind === 'field' && hasWords(resource.fields[target.name])
  return mayHaveWords || isLikely(resource, target, cells)
}
