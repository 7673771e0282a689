// Decides what a column contains that is looked up by its contents: the field by which most of its cells find a record
// (contract §17).

import type { FileColumns, ReferenceTarget } from '../columns/columns.ts'
import type { FoundReading, SoughtReference } from '../rows/references.ts'
import { cellOf } from './cells.ts'

/** At most this many different cells of a column decide. */
const maxValues = 1000

/** So many cells are looked up at a time. */
const valuesPerOperation = 100

/** Finds what each of the references may mean, in the same order. */
export type FindReadings = (references: readonly SoughtReference[]) => Promise<FoundReading[][]>

/** Collects the different cells of the columns that are looked up by their contents. */
export function watchReadings({ columns }: FileColumns) {
  const watched = columns.flatMap(({ target }, index) =>
    target?.kind === 'reference' && target.readings ? [{ index, values: new Set<string>() }] : [],
  )
  return {
    add(cells: readonly string[]): void {
      for (const { index, values } of watched) {
        const text = values.size < maxValues ? cellOf(columns[index]!, cells, index) : ''
        if (text !== '') values.add(text)
      }
    },
    /** Returns the columns, each with the reading that finds the most records. */
    async decide(formatted: FileColumns, findReadings: FindReadings): Promise<FileColumns> {
      const decided = [...formatted.columns]
      for (const { index, values } of watched) {
        const column = decided[index]!
        const target = column.target as ReferenceTarget // only such columns are watched
        decided[index] = { ...column, target: { ...target, by: await mostFrequent(target, [...values], findReadings) } }
      }
      return { ...formatted, columns: decided }
    },
  }
}

async function mostFrequent(
  { to, readings = [] }: ReferenceTarget,
  values: readonly string[],
  findReadings: FindReadings,
): Promise<string> {
  const counts = new Map(readings.map((by) => [by, 0]))
  for (let start = 0; start < values.length; start += valuesPerOperation) {
    const references = values.slice(start, start + valuesPerOperation).map((value) => ({ to, readings, value }))
    for (const { by } of (await findReadings(references)).flat()) counts.set(by, counts.get(by)! + 1)
  }
  const [first] = [...counts].toSorted(([, one], [, other]) => other - one)
  return first && first[1] > 0 ? first[0] : probableReading(readings, values)
}

/** The reading of a column in which nothing was found. */
function probableReading(readings: readonly string[], values: readonly string[]): string {
  if (readings.includes('email') && values.some((value) => value.includes('@'))) return 'email'
  return values.length > 0 && values.every((value) => /^\d+$/.test(value)) ? 'id' : readings.at(-1)!
}
