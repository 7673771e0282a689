// The cells of an imported file: their text, without what programs add to it and with the caller's replacements, some
// samples, and odd characters (contract §17).

import { cleanText } from '../../../lib/text.ts'
import { deriveOnce } from '../../declarations/resource.ts'
import { unprotect } from '../../exports/spreadsheet-text.ts'
import { fold } from '../../search/fold.ts'
import type { FileColumn, FileColumns } from '../columns/columns.ts'

/** A formula that only keeps a spreadsheet from reading a text as a number: `="00123"`. */
const textFormula = /^="((?:[^"]|"")*)"$/

/** What exports and other programs put in front of a text to protect it. */
const mark = /^['`]/

/** Returns the text of a cell; a cell that is missing at the end of a row is empty. */
export function textOf(cells: readonly string[], index: number): string {
  const text = cleanText(cells[index] ?? '').replace(textFormula, (_, quoted: string) => quoted.replaceAll('""', '"'))
  return mark.test(text) ? unprotect(text) : text
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

/** Tabs and line breaks are ordinary. */
const oddCharacters = /[^\P{Cc}\t\n\r]|\ufffd/u

/** Letters in UTF-8 that a program has read as Windows-1252: ü as Ã¼, Ö as Ã–, ş as ÅŸ, ’ as â€™. */
const misread = /Ã[\u00a0-\u00bf„†‡‰Š‹Œ–—šœžŸ€]|Â[\u00a0-\u00bf]|[ÄÅ][±°Ÿž]|â€/u

const damaged = new RegExp(`${oddCharacters.source}|${misread.source}`, 'u')

/** Finds the columns with characters that a text does not contain on purpose: control characters, the sign for bytes that
 *  could not be read, and letters that were read in a wrong encoding. They show that a file was damaged before it was
 *  imported. Watches the titles, and the cells of columns that are imported. */
export function watchOddCharacters(columns: readonly FileColumn[]) {
  const found = columns.map(({ title }) => damaged.test(title))
  let open = columns.flatMap(({ target }, index) => (target && !found[index] ? [index] : []))
  return {
    add(cells: readonly string[]): void {
      for (const index of open) if (damaged.test(textOf(cells, index))) found[index] = true
      if (open.some((index) => found[index])) open = open.filter((index) => !found[index])
    },
    has: (index: number): boolean => found[index]!,
  }
}

export function withoutOddCharacters(text: string): string {
  return text.replace(new RegExp(oddCharacters, 'gu'), '')
}
