// Keeps the values of a record that a spreadsheet has damaged in the file: it is never meant to write `1.23E+11` or
// `I??k` over `123456789012` and `Işık` (contract §17).

import { withLineFeeds } from '../../../lib/text.ts'
import type { Resource } from '../../declarations/resource.ts'
import type { StoredRecord } from '../../records/changes.ts'

/** Returns a row's body, with the record's own value in place of each damaged form of it, and the fields in which the file
 *  is damaged. `isExport`: whether an export has written the row, so that zeros at the start were lost and not removed. */
export function keepUndamaged(
  { fields }: Resource,
  { record, isExport }: { record: StoredRecord; isExport: boolean },
  given: Record<string, unknown>,
): { body: Record<string, unknown>; damaged: string[] } {
  const body = { ...given }
  const damaged: string[] = []
  for (const [name, text] of Object.entries(given)) {
    const own = record[name]
    if (fields[name]?.kind !== 'text' || typeof text !== 'string' || typeof own !== 'string' || text === own) continue
    // spreadsheets write line breaks within a cell as line feeds
    const hasSameLines = withLineFeeds(text) === withLineFeeds(own)
    const isDamaged =
      !hasSameLines && (lostLetters(own, text) || lostDigits(own, text) || (isExport && isSameNumber(own, text)))
    if (hasSameLines || isDamaged) body[name] = own
    if (isDamaged) damaged.push(name)
  }
  return { body, damaged }
}

/** Whether the text has `?` in place of letters that the file's encoding does not have, and is equal otherwise. */
function lostLetters(own: string, text: string): boolean {
  if (!text.includes('?')) return false
  const [letters, others] = [[...withLineFeeds(own)], [...withLineFeeds(text)]]
  if (letters.length !== others.length) return false
  return letters.every((letter, index) => letter === others[index] || (others[index] === '?' && letter > '\u007f'))
}

/** Whether the text is the number with fewer digits and an exponent. */
function lostDigits(own: string, text: string): boolean {
  const match = /^\d(?:[.,](\d+))?E[+-]\d+$/i.exec(text)
  const decimals = match?.[1]?.length ?? 0
  if (!match || decimals > 20 || !/^\d+(?:E\d+)?$/i.test(own)) return false
  return Number(own).toExponential(decimals) === Number(text.replace(',', '.')).toExponential(decimals)
}

/** Whether both are the same number: 007 and 7, 1E5 and 100000. */
function isSameNumber(own: string, text: string): boolean {
  return /^\d+(?:E\d+)?$/i.test(own) && /^\d+$/.test(text) && Number(own) === Number(text)
}
