// Text that a spreadsheet reads as something else when it opens a CSV file: as a formula, a number, a date, a time or a
// truth value. An apostrophe in front of it keeps the text as it is (contract §17).

/** Puts an apostrophe in front of text that a spreadsheet could interpret as a formula, or that already starts with an
 *  apostrophe. Imports remove the apostrophe. */
export function withoutFormula(text: string): string {
  return isFormula(text) ? `'${text}` : text
}

/** Also puts an apostrophe in front of text that a spreadsheet would change: `00123`, `1E5`, `3/4`. */
export function forSpreadsheet(text: string): string {
  return isFormula(text) || changesInSpreadsheet(text) ? `'${text}` : text
}

/** Removes the apostrophe of an export. Snipe-IT puts a backtick before formulas. */
export function unprotect(cell: string): string {
  const mark = cell.charCodeAt(0)
  if (mark !== apostrophe && mark !== backtick) return cell
  const text = cell.slice(1)
  if (mark === backtick) return /^[=+\-@]/.test(text) ? text : cell
  return isFormula(text) || changesInSpreadsheet(text) ? text : cell
}

const [apostrophe, backtick] = [39, 96]

function isFormula(text: string): boolean {
  return /^(?:[=+\-@']|`[=+\-@])/.test(text)
}

/** Longer texts are neither numbers nor dates, except for numbers without separators. */
const longest = 40

function changesInSpreadsheet(text: string): boolean {
  if (text.length > longest) return /^\d+$/.test(text)
  return !keptNumber.test(text) && (words.test(text) || (/\d/.test(text) && patterns.some((each) => each.test(text))))
}

/** Excel and LibreOffice write these numbers as they read them. Excel writes 12 digits as 1.23457E+11. */
const keptNumber = /^(?:0|[1-9]\d{0,10})$/

/** In English, German and Turkish spreadsheets. */
const words = /^(?:true|false|wahr|falsch|doğru|yanl[ıi]ş)$/iu

const months = [
  ...new Set(
    ['en', 'de', 'tr'].flatMap((language) =>
      (['long', 'short'] as const).flatMap((month) => {
        const { format } = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' })
        return Array.from({ length: 12 }, (_, index) => format(Date.UTC(2026, index)).replace('.', ''))
      }),
    ),
  ),
  'Sept',
].join('|')

const [part, mark] = [String.raw`(?:\d{1,2}|[1-9]\d{3})`, ' ?[-/.] ?']
const time = String.raw`\d{1,4}:(?:\d{1,2}(?::\d{1,2}(?:[.,]\d+)?)?)?(?: ?[ap]m?)?`

/** What these spreadsheets read as a number or a date. Some are read only by one of them, or only in one language. */
const patterns = [
  // 1.5; 1.234,56; 1'000; 1.5E3; 50%; $5; 5 €; 5-; (5); 00123
  String.raw`\(?\p{Sc}? ?(?=[.,]?\d)(?:\d{1,3}(?:[.,'’]\d{3})+|\d*)(?:[.,]\d*)?(?: ?e[+-]?\d+)?(?: ?[+-]?(?:%|\p{Sc})?)\)?`,
  String.raw`\d+ \d+\/\d+`, // 1 1/2
  `${part}${mark}${part}(?:${mark}${part})?\\.?(?:[ T]${time}.*)?`, // 1-2; 3/4; 31.01.2026; 2026-01-31 10:00
  `(?:${time}|\\d{1,3} ?[ap]m?)`, // 1:30; 9 AM
  `(?:${part}[-/. ]*)?(?:${months})\\.?(?:[-/., ]*${part}){0,2}`, // MAR1; Dec-12; 5. Mai 2020
].map((pattern) => new RegExp(`^${pattern}$`, 'iu'))
