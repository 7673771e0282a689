// Proposes a target for each column of a draft, and says which proposals a person should look at.

import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { guessColumns, isLikely } from '../../../domain/imports/columns/guess.ts'
import { defaultMatch, matchColumnsOf } from '../../../domain/imports/columns/targets.ts'
import type { ImportDraft } from '../../../domain/imports/draft-operations.ts'
import type { ImportAnswers } from '../../../domain/imports/import.ts'
import type { TenantRequest } from '../../requests/request.ts'

/** Why a person should look at a proposal: it is a guess, or the cells do not look like values of the field.
 *  `answered`: the person has looked, and has chosen something else. */
export type Doubt = 'title' | 'part' | 'cells' | 'unlikely' | 'answered'

/** `names`: the target of each column; '' if the column is not imported. `doubts`: null for each column that is clear.
 *  `match`: the target that identifies existing records. */
export type Proposal = { names: string[]; doubts: (Doubt | null)[]; match: string }

/** Returns what a person has answered, and otherwise what the file's titles and cells suggest. `given`: what the person
 *  has just answered. */
export function proposalOf(
  { resources }: TenantRequest,
  draft: ImportDraft,
  given: Pick<ImportAnswers, 'names' | 'match'> | null = draft.answers,
): Proposal {
  const { columns } = draft
  const resource = resourceNamed(resources, draft.resource)
  const cellsOf = (index: number) => columns[index]?.samples ?? []
  const guesses = guessColumns(columns, cellsOf, resource, resources)
  const proposed = columns.map(({ target }, index) => (target ?? guesses[index]?.target)?.name ?? '')
  const names = given ? columns.map((_, index) => given.names[index] ?? '') : proposed
  const doubts = columns.map(({ target }, index): Doubt | null => {
    const isLikelyTarget = target === null || isLikely(resource, target, cellsOf(index))
    const doubt = target ? (isLikelyTarget ? null : 'unlikely') : (guesses[index]?.by ?? null)
    return doubt !== null && names[index] !== proposed[index] ? 'answered' : doubt
  })
  if (given) return { names, doubts, match: given.match ?? defaultMatch }
  const keys = matchColumnsOf(resource).filter((name) => names.includes(name))
  return { names, doubts, match: draft.isExport || keys.includes(draft.match) ? draft.match : (keys[0] ?? draft.match) }
}
