// Finds the columns with characters that a text does not contain on purpose: control characters, and the sign for bytes
// that could not be read. They show that a file was damaged before it was imported (contract §17).

import type { FileColumn } from '../columns/columns.ts'
import { textOf } from './cells.ts'

/** Tabs and line breaks are ordinary. */
const oddCharacters = /[^\P{Cc}\t\n\r]|\ufffd/u

/** Watches the titles, and the cells of columns that are imported. */
export function watchOddCharacters(columns: readonly FileColumn[]) {
  const found = columns.map(({ title }) => oddCharacters.test(title))
  let open = columns.flatMap(({ target }, index) => (target && !found[index] ? [index] : []))
  return {
    add(cells: readonly string[]): void {
      for (const index of open) if (oddCharacters.test(textOf(cells, index))) found[index] = true
      if (open.some((index) => found[index])) open = open.filter((index) => !found[index])
    },
    has: (index: number): boolean => found[index]!,
  }
}

export function withoutOddCharacters(text: string): string {
  return text.replace(new RegExp(oddCharacters, 'gu'), '')
}
