// Samples of each column's cells, which show people how a file was read (contract §17).

import type { FileColumns } from '../columns/columns.ts'
import { textOf } from './cells.ts'

const maxSamples = 3

/** In code points. */
const maxLength = 100

/** Collects the first different cells of each column that are not empty. */
export function watchSamples(count: number) {
  const samples = Array.from({ length: count }, (): string[] => [])
  const seen = Array.from({ length: count }, () => new Set<string>())
  let open = samples.map((_, index) => index)
  return {
    add(cells: readonly string[]): void {
      if (open.length === 0) return
      let isComplete = false
      for (const index of open) {
        const cell = cells[index]
        if (cell === undefined || cell === '' || seen[index]!.has(cell)) continue
        const sample = shorten(textOf(cells, index))
        if (sample === '' || samples[index]!.includes(sample)) continue
        samples[index]!.push(sample)
        seen[index]!.add(cell)
        isComplete ||= samples[index]!.length === maxSamples
      }
      if (isComplete) open = open.filter((index) => samples[index]!.length < maxSamples)
    },
    addTo: (fileColumns: FileColumns): FileColumns => {
      const columns = fileColumns.columns.map((column, index) => ({ ...column, samples: samples[index]! }))
      return { ...fileColumns, columns }
    },
  }
}

function shorten(text: string): string {
  return text.length <= maxLength ? text : [...text.slice(0, 2 * maxLength)].slice(0, maxLength).join('')
}
