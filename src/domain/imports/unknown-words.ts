// Finds the words of a file that none of its column's choices is called, so that a person can say what they mean.

import type { Database } from '../../engine/database/database.ts'
import { defineOperations } from '../../engine/operation.ts'
import { type Field, type Resource, type Resources, resourceNamed } from '../declarations/resource.ts'
import { readPart } from '../jobs/job-parts.ts'
import { textOf } from './file/cells.ts'
import { readChoiceWord, readYesNo } from './file/formats.ts'
import type { UnknownWord } from './import.ts'

export const wordOperations = defineOperations({
  countUnknownWords: { writes: false, isScan: true, run: countUnknownWords },
})

/** A person is asked about at most this many words of a column. */
const maxAsked = 50

/** At most this many different words of a column are counted: a column with more of them contains no choices. */
const maxCounted = 1000

/** Counts the words that each column contains, from the counts of several operations. */
export function addWords(counts: readonly Map<string, number>[], found: readonly UnknownWord[][]): void {
  for (const [at, words] of found.entries()) for (const { word, rows } of words) count(counts[at]!, word, rows)
}

/** Whether the field's values are words that a file may call otherwise. */
export function hasWords(field: Field | undefined): boolean {
  return field?.kind === 'choice' || field?.kind === 'boolean'
}

export function mostFrequent(counts: ReadonlyMap<string, number>): UnknownWord[] {
  const words = [...counts].map(([word, rows]) => ({ word, rows }))
  return words.toSorted((one, other) => other.rows - one.rows).slice(0, maxAsked)
}

export type CountedColumn = { index: number; field: string }

/** Returns the words of each column in the parts from `from` to before `to`. */
async function countUnknownWords(
  database: Database,
  input: { id: number; from: number; to: number; resource: string; columns: CountedColumn[] },
  { resources }: { resources: Resources },
): Promise<UnknownWord[][]> {
  const resource = resourceNamed(resources, input.resource)
  const counts = input.columns.map(() => new Map<string, number>())
  for (let part = input.from; part < input.to; part++)
    for (const { cells } of await readPart(database, input.id, part))
      for (const [at, { index, field }] of input.columns.entries()) {
        const word = textOf(cells, index)
        if (word !== '' && !isKnown(resource, resource.fields[field]!, word)) count(counts[at]!, word, 1)
      }
  return counts.map((words) => [...words].map(([word, rows]) => ({ word, rows })))
}

function isKnown(resource: Resource, field: Field, word: string): boolean {
  if (field.kind === 'choice') return readChoiceWord(resource, field.of, word) !== undefined
  return readYesNo(word) !== undefined
}

function count(counts: Map<string, number>, word: string, rows: number): void {
  const former = counts.get(word)
  if (former !== undefined || counts.size < maxCounted) counts.set(word, (former ?? 0) + rows)
}
