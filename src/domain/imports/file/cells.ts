// The text of an imported file's cells, without what programs add to it, and with the caller's replacements (contract
// §17).

import { cleanText } from '../../../lib/text.ts'
import { deriveOnce } from '../../declarations/resource.ts'
import { unprotect } from '../../exports/spreadsheet-text.ts'
import { fold } from '../../search/fold.ts'
import type { FileColumn } from '../columns/columns.ts'

/** A formula that only keeps a spreadsheet from reading a text as a number: `="00123"`. */
const textFormula = /^="([^"]*)"$/

/** Returns the text of a cell; a cell that is missing at the end of a row is empty. */
export function textOf(cells: readonly string[], index: number): string {
  return unprotect(cleanText(cells[index] ?? '').replace(textFormula, '$1'))
}

/** Returns the text of a cell as it is to be read: its replacement, if the column has one. */
export function cellOf({ words }: Pick<FileColumn, 'words'>, cells: readonly string[], index: number): string {
  const text = textOf(cells, index)
  if (!words) return text
  const { exact, folded } = replacements(words)
  return exact.get(text) ?? folded.get(fold(text)) ?? text
}

/** Words that differ only in case or accents mean the same, unless each of them has a replacement of its own. */
const replacements = deriveOnce((words: Record<string, string>) => {
  const exact = Object.entries(words).map(([cell, text]) => [textOf([cell], 0), cleanText(text)] as const)
  return { exact: new Map(exact), folded: new Map(exact.map(([cell, text]) => [fold(cell), text])) }
})
