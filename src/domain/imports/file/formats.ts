// How an imported file writes its dates and amounts, and yes and no, and the values of a JSON request that its cells mean
// (contract §17).

import { wordsOfChoice } from '../../declarations/labels.ts'
import {
  deriveOnce,
  externalIdField,
  type Field,
  isAmount,
  isCode,
  type Resource,
} from '../../declarations/resource.ts'
import { fold } from '../../search/fold.ts'
import type { ColumnTarget, DateFormat, DatesOfColumn, FileColumn, FileColumns } from '../columns/columns.ts'
import { type AmountFormat, type AmountUnit, type Currency, readAmount, watchAmounts } from './amounts.ts'
import { cellOf, watchOddCharacters } from './cells.ts'

/** How amounts are read. `findCurrency`: returns the tenant's currency; called only if there are amounts. `unit`: what the
 *  caller says; null decides by the column's title. */
export type AmountReading = { findCurrency: () => Promise<Currency>; unit: AmountUnit | null }

/** Detects how the dates, amounts and marks in each column are written, and odd characters, from the cells of all rows. */
export async function watchFormats(
  resource: Resource,
  fileColumns: FileColumns,
  { findCurrency, unit }: AmountReading,
) {
  const { columns, set = [] } = fileColumns
  const fields = columns.map(({ target }) => (target?.kind === 'field' ? resource.fields[target.name] : undefined))
  const currency = fields.some(isAmount) ? await findCurrency() : undefined
  const watches = columns.map(({ title, target }, index): Watch | undefined => {
    const field = fields[index]
    if (target && holdsCodes(resource, target)) return watchCodes()
    if (field?.kind === 'date') return watchDates()
    if (field?.kind === 'boolean')
      return set.some((each) => each.target.name === target?.name) ? undefined : watchMarks()
    if (!currency || !isAmount(field)) return undefined
    // A column with the name of the API's field has the API's unit; people write amounts with decimals.
    return watchAmounts(unit ?? (title === target?.name ? 'minor' : 'major'), currency)
  })
  const odd = watchOddCharacters(columns)
  const watched = watches.flatMap((watch, index) => (watch ? [{ watch, index }] : []))
  return {
    add(cells: readonly string[]): void {
      odd.add(cells)
      for (const { watch, index } of watched) {
        const cell = cellOf(columns[index]!, cells, index)
        if (cell !== '') watch.add(cell)
      }
    },
    result: (): FileColumns => {
      const formatted = columns.map((column, index): FileColumn => {
        return { ...column, ...watches[index]?.format(), ...(odd.has(index) && { hasOddCharacters: true }) }
      })
      return { ...fileColumns, columns: formatted }
    },
  }
}

type Watch = { add(cell: string): void; format(): Partial<FileColumn> }

/** Whether a column has codes, tags, external ids, or numbers of people, serials or phones. */
function holdsCodes({ fields }: Resource, target: ColumnTarget): boolean {
  if (target.kind !== 'reference') return target.name === externalIdField || isCodeField(fields[target.name])
  return [target.by, ...(target.readings ?? [])].some((by) => by !== 'id' && by !== 'email')
}

function isCodeField(field: Field | undefined): boolean {
  return field !== undefined && isCode(field)
}

/** How spreadsheets write a number with many digits, of which they have lost some. */
const scientific = /^[+-]?\d(?:[.,]\d+E[+-]?|E[+-])\d{1,3}$/i

function watchCodes() {
  let hasDamagedCodes = false
  return {
    add(cell: string): void {
      hasDamagedCodes ||= scientific.test(cell)
    },
    format: (): { hasDamagedCodes?: true } => (hasDamagedCodes ? { hasDamagedCodes } : {}),
  }
}

/** `time`: the text after the date. */
type WrittenDate = { first: string; second: string; year: string; order: 'day' | 'year' | 'unknown'; time: string }

const yearFirst = /^(?<year>\d{4})(?<mark>[-/.]) ?(?<first>\d{1,2})\k<mark> ?(?<second>\d{1,2})(?!\d)(?<time>.*)$/s
const yearLast = /^(?<first>\d{1,2})(?<mark>[-/.]) ?(?<second>\d{1,2})\k<mark> ?(?<year>\d{4})(?!\d)(?<time>.*)$/s

/** The time after a date: `T08:22:10.0000000Z`, ` 9:05:00 AM`, ` 07:31:22 UTC`, `, 14:05 Uhr`, ` 08:22:10+01`. */
const timeOfDay =
  /^(?:T|,?\s+)(?<hour>[01]?\d|2[0-4]):(?<rest>[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?)\s*(?<half>[AP]\.?M\.?|Uhr)?(?:\s*(?:Z|[A-Z]{3,4}|[+-]\d{1,2}(?::?\d{2})?))*$/i

/** `20260131`, and `20260131082210.0Z` as directories write it. */
const compact = /^((?:19|20)\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z)?$/

const dayAndMonth =
  /^(?<day>\d{1,2})(?:st|nd|rd|th|\.)?[\s./-]*(?<month>\p{L}{3,9})[\s.,/-]*(?<year>\d{4})(?!\d)(?<time>.*)$/su
const monthAndDay = /^(?<month>\p{L}{3,9})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})(?!\d)(?<time>.*)$/su
const weekday = /^\p{L}{2,10}, ?(?=[\p{L}\d])/u

/** The names of the months in English, German and Turkish, in order. Their first letters are also understood. */
const months = [
  'January Januar Jänner Ocak',
  'February Februar Feber Şubat',
  'March März Mrz Mart',
  'April Nisan',
  'May Mai Mayıs',
  'June Juni Haziran',
  'July Juli Temmuz',
  'August Ağustos',
  'September Eylül',
  'October Oktober Ekim',
  'November Kasım',
  'December Dezember Aralık',
].map((names) => fold(names).split(' '))

/** A date with the name of its month: `31-Jan-2026`, `31. Januar 2026`, `Jan 31, 2026`. */
function parseNamedMonth(cell: string): WrittenDate | undefined {
  const text = cell.replace(weekday, '')
  const { day, month = '', year, time } = (dayAndMonth.exec(text) ?? monthAndDay.exec(text))?.groups ?? {}
  if (day === undefined || year === undefined || time === undefined) return undefined
  const word = fold(month)
  const index = months.findIndex((names) => names.some((name) => name.startsWith(word)))
  return index === -1 ? undefined : { first: day, second: String(index + 1), year, order: 'day', time }
}

function parse(cell: string): WrittenDate | undefined {
  const date = (/\p{L}{3}/u.test(cell) ? parseNamedMonth(cell) : undefined) ?? parseNumbers(withHyphens(cell))
  return date && (date.time === '' || timeOfDay.test(date.time)) ? date : undefined
}

function withHyphens(cell: string): string {
  const [, year, month, day, hour, minute, second] = compact.exec(cell) ?? []
  if (year === undefined) return cell
  return `${year}-${month}-${day}${hour === undefined ? '' : `T${hour}:${minute}:${second}`}`
}

function parseNumbers(cell: string): WrittenDate | undefined {
  const { first, second, year, mark, time } = (yearFirst.exec(cell) ?? yearLast.exec(cell))?.groups ?? {}
  if (first === undefined || second === undefined || year === undefined || time === undefined) return undefined
  const isClear = mark === '.' || Number(first) === Number(second) // 5/5/2026 can only mean one day
  const order = cell.startsWith(year) ? 'year' : isClear ? 'day' : 'unknown'
  return { first, second, year, order, time }
}

function isMidnight(time: string): boolean {
  const { hour = '', rest = '', half = '' } = timeOfDay.exec(time)?.groups ?? {}
  return time === '' || (/^[0:.,]+$/.test(rest) && Number(hour) === (/^a/i.test(half) ? 12 : 0) && !/^p/i.test(half))
}

/** What MySQL writes in place of a date that is missing. */
const noDate = /^0000-00-00(?: 00:00:00)?$/

/** Detects how the dates of a column are written. */
function watchDates() {
  let [isUnknown, dayFirst, monthFirst, hasTimes] = [false, false, false, false]
  return {
    add(cell: string): void {
      const date = parse(cell)
      if (!date) return
      hasTimes ||= !isMidnight(date.time)
      if (date.order !== 'unknown') return
      isUnknown = true
      dayFirst ||= Number(date.first) > 12
      monthFirst ||= Number(date.second) > 12
    },
    format(): DatesOfColumn {
      const times = hasTimes ? { hasTimes } : {}
      if (!isUnknown) return times
      if (dayFirst === monthFirst) return { ...times, dates: 'unclear' }
      return { ...times, dates: dayFirst ? 'day first' : 'month first' }
    },
  }
}

/** Returns the date as `YYYY-MM-DD`, or the unchanged cell if its format is unknown or unclear. The date in the file
 *  counts, whatever its time zone. Validation later checks whether the date exists. */
export function readDate(cell: string, format: DateFormat | undefined): string {
  const date = parse(cell)
  if (!date) return cell
  const { first, second, year, order } = date
  if (order === 'year') return isoDate(year, first, second)
  if (order === 'day' || format === 'day first') return isoDate(year, second, first)
  return format === 'month first' ? isoDate(year, first, second) : cell
}

function isoDate(year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** Words for yes and no, as lists contain them in many languages. */
const yes =
  'true t yes y 1 on x ✓ ✔ ☑ ok active enabled checked ja j aktiv aktiviert wahr ein an evet e aktif etkin doğru açık var oui vrai actif sí si vero sì sim tak ano'

const no =
  'false f no n 0 off ☐ ✗ ✘ inactive disabled unchecked nein inaktiv deaktiviert falsch aus hayır h pasif devredışı yanlış kapalı yok non faux inactif falso não nie ne nee nej nei'

const meanings = new Map<string, boolean>([
  ...yes.split(' ').map((word): [string, boolean] => [normalizeWord(word), true]),
  ...no.split(' ').map((word): [string, boolean] => [normalizeWord(word), false]),
])

/** Ignores case, accents, blanks, hyphens and underscores. */
function normalizeWord(word: string): string {
  return fold(word).replaceAll(/[\s.\-_]/g, '')
}

/** Returns undefined for a word that means neither. Some programs write `1.0`, and some lists `Aktiv (ja)` or `[x]`. */
export function readYesNo(cell: string): boolean | undefined {
  const word = cell.replace(/^([01])[.,]0+$/, '$1').replace(/^[[(](.*)[\])]$|(?<=\S)\s*\(.*\)$/, '$1')
  return meanings.get(normalizeWord(word))
}

const marks = new Set(['x', '✓', '✔', '☑'])

/** Detects a column in which a mark means yes and an empty cell means no. */
function watchMarks() {
  let [hasMarks, hasWords] = [false, false]
  return {
    add(cell: string): void {
      if (marks.has(cell.toLowerCase())) hasMarks = true
      else hasWords = true
    },
    format: (): { isBlankNo?: true } => (hasMarks && !hasWords ? { isBlankNo: true } : {}),
  }
}

/** The choices of a resource by the words that mean them, normalized. */
const choicesByWord = deriveOnce((resource: Resource) => {
  const choices = Object.values(resource.fields).flatMap((field) => (field.kind === 'choice' ? field.of : []))
  return new Map(
    choices.map(
      (choice) => [choice, new Set([choice, ...wordsOfChoice(resource, choice)].map(normalizeWord))] as const,
    ),
  )
})

/** Returns the choice that a cell means: by its name, or by one of its labels. */
export function readChoiceWord(resource: Resource, choices: readonly string[], cell: string): string | undefined {
  const word = normalizeWord(cell)
  return choices.find((choice) => choicesByWord(resource).get(choice)?.has(word))
}

/** Further names of countries, by code. */
const otherNames: Record<string, string> = {
  US: 'USA, U.S.A., United States of America',
  GB: 'Great Britain, England, Großbritannien, İngiltere',
  NL: 'The Netherlands, Holland, Hollanda',
  TR: 'Turkey, Republic of Türkiye',
  CZ: 'Czech Republic, Tschechische Republik',
}

/** The countries' codes by their names in the panel's languages, normalized. */
let codesByName: Map<string, string> | undefined

/** Returns the code of the country that a cell names, or the unchanged cell. */
function readCountry(cell: string): string {
  codesByName ??= new Map(['en', 'de', 'tr'].flatMap(namesOfCountries))
  return codesByName.get(normalizeWord(cell)) ?? cell
}

function namesOfCountries(locale: string): [string, string][] {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' })
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  // A former code, such as DD or UK, has the name of the present one.
  const present = codes.filter((code) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`)
  return present.flatMap((code) => {
    const others = otherNames[code]?.split(', ') ?? []
    return [names.of(code) ?? [], others].flat().map((name): [string, string] => [normalizeWord(name), code])
  })
}

/** The error of a cell that validation would not find, or would describe less well. */
export class CellFault {
  readonly code: string
  readonly message: string

  constructor(code: string, message: string) {
    this.code = code
    this.message = message
  }
}

/** How the cells of a column are written. */
type CellFormat = Pick<FileColumn, 'dates' | 'amounts' | 'isBlankNo'>

/** Returns a text that is not understood as it is, so that validation reports it. */
export function convert(
  resource: Resource,
  field: Field,
  { dates, amounts, isBlankNo }: CellFormat,
  cell: string,
): unknown {
  if (cell === '') return isBlankNo ? false : null
  switch (field.kind) {
    case 'boolean':
      return readYesNo(cell) ?? cell
    case 'choice':
      return readChoiceWord(resource, field.of, cell) ?? cell
    case 'date':
      return noDate.test(cell) ? null : readDate(cell, dates)
    case 'integer':
      return amounts ? convertAmount(cell, amounts) : cell
    case 'text':
      return field.holds === 'country' ? readCountry(cell) : cell
    default:
      return cell
  }
}

export const acceptedAmounts: Record<AmountUnit, string> = {
  major: 'Must be an amount such as 1299.90 or 1.299,90.',
  minor: 'Must be a whole number of minor units, such as 129990 for 1,299.90.',
}

function convertAmount(cell: string, format: AmountFormat): string | CellFault {
  const amount = readAmount(cell, format)
  if ('minorUnits' in amount) return amount.minorUnits
  if (amount.fault === 'unclear') return new CellFault('invalid_int', acceptedAmounts[format.unit])
  const message = `${JSON.stringify(cell)} is in another currency; amounts must be in ${format.currency}.`
  return new CellFault('wrong_currency', message)
}
