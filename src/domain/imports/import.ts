// An import: a job that checks the rows of a file and applies them (contract §17).

import type { Job, JobOrigin, PartsCursor } from '../jobs/job.ts'
import type { CellError, FailedRow } from '../jobs/job-parts.ts'
import type { ColumnAssignment } from './columns/assignment.ts'
import type { FileColumns } from './columns/columns.ts'
import type { Assumption } from './file/assumptions.ts'

export const importModes = ['dry_run', 'all_or_nothing', 'valid_rows'] as const

export type ImportMode = (typeof importModes)[number]

/** `receiving`: the file is still being stored. `draft`: a panel user is assigning the file's columns. `discarded`: the
 *  import is being deleted. The API hides imports in these states. */
export const hiddenStates = ['receiving', 'draft', 'discarded'] as const

export const importStates = ['checking', 'checked', 'running', 'done', 'failed', 'cancelled', 'undone'] as const

export type ImportState = (typeof importStates)[number] | (typeof hiddenStates)[number]

/** `revertSet`: the change set that contains the changes that revert the import. `stockCreation`: whether the caller may
 *  not create a branch's stock. */
export type ImportOrigin = JobOrigin & { revertSet: string; stockCreation?: 'forbidden' | undefined }

export type ImportCaller = Pick<ImportOrigin, 'actor' | 'requestId' | 'stockCreation'>

/** A word of the file that none of its column's choices is called, and the number of rows that have it. */
export type UnknownWord = { word: string; rows: number }

/** What a person has answered about a draft. `unknown`: by the column's index, the words that the person is asked about,
 *  the most frequent first; missing until they have been looked for. `changesRecords`: whether some rows are about records
 *  that exist. */
export type ImportAnswers = ColumnAssignment & { unknown?: Record<number, UnknownWord[]>; changesRecords?: boolean }

/** `match`: the column that identifies records. `rows`: the number of rows in the file, which are stored in `parts`
 *  parts. `fileName`: null for a file without a name, and missing in imports of earlier versions. `answers`: only of an
 *  import in the panel. */
export type ImportInput = {
  answers?: ImportAnswers | undefined
  fileName?: string | null
  resource: string
  mode: ImportMode
  match: string
  columns: FileColumns
  delimiter: string
  assumptions: Assumption[]
  rows: number
  parts: number
  origin: ImportOrigin
}

/** Returns the input without the samples of the file's cells. */
export function withoutSamples(input: ImportInput): ImportInput {
  const columns = input.columns.columns.map((column) => ({ ...column, samples: [] }))
  return { ...input, columns: { ...input.columns, columns } }
}

/** Returns the input with `erase` applied to the values that a caller or a person has given for the file's rows. */
export function withErasedValues(input: ImportInput, erase: (text: string) => string): ImportInput {
  const { answers, columns } = input
  return {
    ...input,
    columns: {
      ...columns,
      columns: columns.columns.map((column) =>
        column.words ? { ...column, words: eraseWords(column.words, erase) } : column,
      ),
      ...(columns.set && { set: columns.set.map((each) => ({ ...each, value: erase(each.value) })) }),
    },
    ...(answers && { answers: withErasedAnswers(answers, erase) }),
  }
}

function withErasedAnswers({ unknown, ...answers }: ImportAnswers, erase: (text: string) => string): ImportAnswers {
  const words = Object.entries(unknown ?? {}).map(([column, each]) => {
    return [column, each.map(({ word, rows }) => ({ word: erase(word), rows }))]
  })
  return { ...withErasedTexts(answers, erase), ...(unknown && { unknown: Object.fromEntries(words) }) }
}

/** Returns a mapping or answers with `erase` applied to the values for all rows, and to cells and what replaces them. */
export function withErasedTexts<Given extends Pick<ColumnAssignment, 'set' | 'value'>>(
  given: Given,
  erase: (text: string) => string,
): Given {
  const set = Object.entries(given.set).map(([name, value]) => [name, erase(value)])
  const value = Object.entries(given.value).map(([title, words]) => [title, eraseWords(words, erase)])
  return { ...given, set: Object.fromEntries(set), value: Object.fromEntries(value) }
}

function eraseWords(words: Record<string, string>, erase: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(words).map(([cell, text]) => [erase(cell), erase(text)]))
}

/** `before`: changes with lower numbers are still to be reverted. `forget` deletes the failed rows, but not the job. */
export type ImportCursor =
  | PartsCursor
  | { phase: 'revert'; pass: number; before: number }
  | { phase: 'forget'; pass: number }

/** How many rows have been processed, and with which results. */
type ImportCounts = { processed: number; created: number; updated: number; unchanged: number; invalid: number }

/** `errors`: the errors of all rows that failed; missing in imports of earlier versions. `existing`, `kept`: as in
 *  RowResults, from the rows checked so far. `keptCreated`: how many created records could not be reverted.
 *  `keptUpdated`: how many updated records could not be reverted. */
export type ImportProgress = ImportCounts & {
  errors?: ErrorGroup[]
  existing?: Record<string, number>
  kept?: Record<string, number>
  keptCreated?: number
  keptUpdated?: number
}

export const noImportProgress: ImportProgress = { processed: 0, created: 0, updated: 0, unchanged: 0, invalid: 0 }

export type ImportJob = Job<ImportInput, ImportCursor, ImportProgress> & { state: ImportState }

export const importKind = 'import'

/** An error as the API and the panel show it. `column`: the title of the column with the error. */
export type RowError = { row: number; column: string | null; code: string; message: string }

export function toRowErrors({ columns }: FileColumns, { row, errors }: Omit<FailedRow, 'cells'>): RowError[] {
  return errors.map(({ column, code, message }) => {
    return { row, column: column === null ? null : columns[column]!.title, code, message }
  })
}

/** An import as the API and the panel show it. */
export type ImportView = Pick<ImportInput, 'resource' | 'mode' | 'match' | 'rows' | 'assumptions'> &
  ImportCounts & {
    id: number
    state: ImportState
    change_set: string | null
    created_at: string
    finished_at: string | null
  }

/** Errors with the same code in the same column or field. `column`: the column's index; null if the errors are not about
 *  a column. `field`: the field that an error without a column is about. */
export type ErrorGroup = Pick<CellError, 'code' | 'column' | 'field'> & { count: number; firstRow: number }

/** An import has at most this many groups: a file with hundreds of columns can have more, but nobody reads them. */
const maxGroups = 100

/** Adds the errors of these rows, which follow the rows of the groups. */
export function addErrors(groups: readonly ErrorGroup[], rows: readonly FailedRow[]): ErrorGroup[] {
  const byKey = new Map(groups.map((group) => [errorKeyOf(group), group]))
  for (const { row, errors } of rows) {
    for (const error of errors) {
      const key = errorKeyOf(error)
      const group = byKey.get(key)
      if (group) byKey.set(key, { ...group, count: group.count + 1 })
      else if (byKey.size < maxGroups) byKey.set(key, newGroup(error, row))
    }
  }
  return [...byKey.values()]
}

function newGroup({ code, column, field }: CellError, row: number): ErrorGroup {
  return { code, column, ...(field !== undefined && { field }), count: 1, firstRow: row }
}

export function errorKeyOf({ code, column, field }: Pick<CellError, 'code' | 'column' | 'field'>): string {
  return JSON.stringify([code, column, field ?? null])
}
