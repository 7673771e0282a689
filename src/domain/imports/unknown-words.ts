// Finds the words of a file that a person must explain: those that none of a column's choices is called, and those that
// name no record, or several.

import type { Database } from '../../engine/database/database.ts'
import { defineOperations } from '../../engine/operation.ts'
import { type Declared, type Field, type Resource, type Resources, resourceNamed } from '../declarations/resource.ts'
import { readPart } from '../jobs/job-parts.ts'
import { fold } from '../search/fold.ts'
import type { ColumnTarget, ReferenceTarget } from './columns/columns.ts'
import { defaultMatch, targetsOf } from './columns/targets.ts'
import type { ImportDraft } from './draft-operations.ts'
import { textOf } from './file/cells.ts'
import type { FindReadings } from './file/readings.ts'
import { readChoiceWord, readYesNo } from './file/words.ts'
import type { ImportAnswers, UnknownWord } from './import.ts'
import { onlyRecord } from './rows/references.ts'

export const wordOperations = defineOperations({
  countUnknownWords: { writes: false, isScan: true, run: countUnknownWords },
})

/** A person is asked about at most this many words of a column. */
const maxAsked = 50

/** At most this many different words of a column are counted: a column with more of them contains no choices. */
const maxCounted = 1000

/** One operation counts the words in this many parts, which takes about 20 ms. */
const partsPerCount = 50

/** What the questions about a file depend on: as in ImportAnswers. */
export type FileWords = Required<Pick<ImportAnswers, 'unknown' | 'changesRecords'>>

/** Returns the words of a draft that a person must explain. For a column that names records, the word '' stands for the
 *  empty cells. */
export async function findWords(
  resources: Resources,
  draft: ImportDraft,
  { names, match }: Pick<ImportAnswers, 'names' | 'match'>,
  { countWords, findReadings }: { countWords: CountWords; findReadings: FindReadings },
): Promise<FileWords> {
  const resource = resourceNamed(resources, draft.resource)
  const targets = targetsOf(resource, resources)
  const columns = names.flatMap((name, index): CountedColumn[] => {
    const target = targets.find((each) => each.name === name)
    return target && (target.kind === 'reference' || hasWords(resource.fields[target.name])) ? [{ index, target }] : []
  })
  const by = match ?? defaultMatch
  const key: ReferenceTarget = { kind: 'reference', name: by, field: by, to: resource.name, by, rank: 0 }
  const keys = names.includes(by) ? [{ index: names.indexOf(by), target: key }] : []
  const counts = await countAll(draft, [...keys, ...columns], countWords)
  const sought = keys.flatMap(() =>
    counts
      .shift()!
      .filter(({ word }) => word !== '')
      .slice(0, wordsPerOperation),
  )
  const newKeys = await withoutFound(findReadings, key, sought, true)
  const { isExport } = draft
  const unknown: FileWords['unknown'] = {}
  for (const [at, { index, target }] of columns.entries()) {
    const words = counts[at]!
    const asked = target.kind === 'reference' ? await withoutFound(findReadings, target, words, isExport) : words
    if (asked.length > 0) unknown[index] = mostFrequent(asked)
  }
  return { unknown, changesRecords: newKeys.length < sought.length || (isExport && match === null) }
}

async function countAll(
  { id, resource, parts }: ImportDraft,
  columns: CountedColumn[],
  countWords: CountWords,
): Promise<UnknownWord[][]> {
  const counts = columns.map(() => new Map<string, number>())
  for (let from = 0; columns.length > 0 && from < parts; from += partsPerCount) {
    const input = { id, resource, columns, from, to: Math.min(from + partsPerCount, parts) }
    for (const [at, words] of (await countWords(input)).entries())
      for (const { word, rows } of words) count(counts[at]!, word, rows)
  }
  return counts.map(wordsOf)
}

function wordsOf(counts: ReadonlyMap<string, number>): UnknownWord[] {
  return [...counts].map(([word, rows]) => ({ word, rows }))
}

/** Words that differ only in case or accents count as one: what a person says about one of them is true for all. */
function mostFrequent(words: readonly UnknownWord[]): UnknownWord[] {
  const sums = [...Map.groupBy(words, ({ word }) => fold(word)).values()].map((equal) => {
    return { word: equal[0]!.word, rows: equal.reduce((sum, { rows }) => sum + rows, 0) }
  })
  return sums.toSorted((one, other) => other.rows - one.rows).slice(0, maxAsked)
}

/** So many words are looked up at a time. */
const wordsPerOperation = 100

/** Leaves out the words that name one record. `isExport`: a row of an export may keep the record that it has, even if
 *  others have the same name. */
export async function withoutFound(
  findReadings: FindReadings,
  { to, by, readings = [by] }: ReferenceTarget,
  words: readonly UnknownWord[],
  isExport: boolean,
): Promise<UnknownWord[]> {
  const others: UnknownWord[] = []
  for (let start = 0; start < words.length; start += wordsPerOperation) {
    const some = words.slice(start, start + wordsPerOperation)
    const references = some.map(({ word }) => ({ to, readings, value: word }))
    const found = await findReadings(references)
    const isKnown = (at: number) => onlyRecord(found[at]!) !== undefined || (isExport && found[at]!.length > 0)
    others.push(...some.filter(({ word }, at) => word === '' || !isKnown(at)))
  }
  return others
}

/** Whether the field's values are words that a file may call otherwise. */
export function hasWords(field: Field | undefined): boolean {
  return field?.kind === 'choice' || field?.kind === 'boolean'
}

type CountedColumn = { index: number; target: ColumnTarget }

/** The parts from `from` to before `to`. */
type WordCount = { id: number; from: number; to: number; resource: string; columns: CountedColumn[] }

/** Counts the words that each column contains; of a column of choices, those that are not known. */
type CountWords = (input: WordCount) => Promise<UnknownWord[][]>

async function countUnknownWords(
  database: Database,
  input: WordCount,
  { resources }: Declared,
): Promise<UnknownWord[][]> {
  const resource = resourceNamed(resources, input.resource)
  const counts = input.columns.map(() => new Map<string, number>())
  for (let part = input.from; part < input.to; part++)
    for (const { cells } of await readPart(database, input.id, part))
      for (const [at, { index, target }] of input.columns.entries()) {
        const word = textOf(cells, index)
        if (!isKnown(resource, target, word)) count(counts[at]!, word, 1)
      }
  return counts.map(wordsOf)
}

function isKnown(resource: Resource, target: ColumnTarget, word: string): boolean {
  if (target.kind === 'reference') return false
  if (word === '') return true
  const field = resource.fields[target.name]!
  return field.kind === 'choice'
    ? readChoiceWord(resource, field.of, word) !== undefined
    : readYesNo(word) !== undefined
}

function count(counts: Map<string, number>, word: string, rows: number): void {
  const former = counts.get(word)
  if (former !== undefined || word === '' || counts.size < maxCounted) counts.set(word, (former ?? 0) + rows)
}
