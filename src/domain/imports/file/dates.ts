// How an imported file writes its dates (contract §17).

import { fold } from '../../search/fold.ts'
import type { DateFormat, DatesOfColumn } from '../columns/columns.ts'

/** `time`: the text after the date. */
type WrittenDate = { first: string; second: string; year: string; order: 'day' | 'year' | 'unknown'; time: string }

const yearFirst = /^(?<year>\d{4})(?<mark>[-/.]) ?(?<first>\d{1,2})\k<mark> ?(?<second>\d{1,2})(?!\d)\.?(?<time>.*)$/s
const yearLast = /^(?<first>\d{1,2})(?<mark>[-/.]) ?(?<second>\d{1,2})\k<mark> ?(?<year>\d{4})(?!\d)(?<time>.*)$/s

/** The time after a date: `T08:22:10.0000000Z`, ` 9:05:00 AM`, ` 07:31:22 UTC`, `, 14:05 Uhr`, ` 08:22:10+01`. */
const timeOfDay =
  /^(?:T|,?\s+)(?<hour>[01]?\d|2[0-4]):(?<rest>[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?)\s*(?<half>[AP]\.?M\.?|Uhr)?(?:\s*(?:Z|[A-Z]{3,4}|[+-]\d{1,2}(?::?\d{2})?))*$/i

/** `20260131`, and `20260131082210.0Z` as directories write it. */
const compact = /^((?:19|20)\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z)?$/

const dayAndMonth =
  /^(?<day>\d{1,2})(?:st|nd|rd|th|\.)?[\s./-]*(?<month>\p{L}{3,9})[\s.,/-]*(?<year>\d{4})(?!\d)(?<time>.*)$/su
const monthAndDay = /^(?<month>\p{L}{3,9})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})(?!\d)(?<time>.*)$/su

/** The days of the week in English, German and Turkish, in full and shortened. */
const weekdays = [
  'Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sun|Mon|Tue|Wed|Thu|Fri|Sat',
  'Sonntag|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|So|Mo|Di|Mi|Do|Fr|Sa',
  'Pazar|Pazartesi|Salı|Çarşamba|Perşembe|Cuma|Cumartesi|Paz|Pzt|Sal|Çar|Per|Cum|Cmt',
].join('|')

/** Before or after a date: `Thu Feb 1, 2024`, `Mo., 05.02.2024`, `5 Şubat 2024 Pazartesi`. */
const weekday = new RegExp(`^(?:${weekdays})(?:[.,]+ ?| )(?=[\\p{L}\\d])|,? (?:${weekdays})\\.?$`, 'iu')

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
  const found = dayAndMonth.exec(cell) ?? monthAndDay.exec(cell)
  const { day, month = '', year, time } = found?.groups ?? {}
  if (day === undefined || year === undefined || time === undefined) return undefined
  const word = fold(month)
  const index = months.findIndex((names) => names.some((name) => name.startsWith(word)))
  return index === -1 ? undefined : { first: day, second: String(index + 1), year, order: 'day', time }
}

function parse(cell: string): WrittenDate | undefined {
  const text = /\p{L}{2}/u.test(cell) ? cell.replace(weekday, '') : cell
  const date = (/\p{L}{3}/u.test(text) ? parseNamedMonth(text) : undefined) ?? parseNumbers(withHyphens(text))
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

/** Detects how the dates of a column are written. */
export function watchDates() {
  let [isUnknown, dayFirst, monthFirst, hasTimes] = [false, false, false, false]
  let noDate: string | undefined
  return {
    add(cell: string): void {
      const date = parse(cell)
      if (!date) return
      if (missingDateOf(date)) {
        noDate ??= cell
        return
      }
      hasTimes ||= !isMidnight(date.time)
      if (date.order !== 'unknown') return
      isUnknown = true
      dayFirst ||= Number(date.first) > 12
      monthFirst ||= Number(date.second) > 12
    },
    format(): DatesOfColumn {
      const times = { ...(hasTimes && { hasTimes }), ...(noDate !== undefined && { noDate }) }
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

/** What MySQL, .NET and Go, spreadsheets, and SQL Server write in place of a date that is missing: their first day. */
const missingDates = ['0000-00-00', '0001-01-01', '1899-12-30', '1899-12-31', '1900-01-00', '1900-01-01']

/** Returns the date that a cell, such as `0001-01-01T00:00:00Z`, has in place of a missing one. Undefined for others. */
export function missingDate(cell: string): string | undefined {
  const date = parse(cell)
  return date && missingDateOf(date)
}

function missingDateOf({ first, second, year, order }: WrittenDate): string | undefined {
  const readings = [
    ...(order === 'year' ? [] : [isoDate(year, second, first)]),
    ...(order === 'day' ? [] : [isoDate(year, first, second)]),
  ]
  return readings.find((reading) => missingDates.includes(reading))
}
