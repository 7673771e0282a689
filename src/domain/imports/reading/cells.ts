// Converts the cells of a row to the values of a JSON request, after detecting how the dates and amounts in each column
// are written: amounts as in spreadsheets, such as 1.299,90 or $1,299.90, or as a whole number of minor units. A cell
// that cannot be converted stays unchanged, so that validation rejects it.

import type { Field, Resource } from '../../declarations/resource.ts'
import type { AmountFormat, DateFormat, FileColumn, FileColumns } from './columns.ts'

/** A reference in a row. `by` and `value`: the field by which to find the record, and the value to find. `column`: the
 *  index of the column that contains the value. */
export type RowReference = { field: string; to: string; by: string; value: string; column: number }

/** A row as a request: its body fields, the references to look up, and the value that identifies the record. */
export type RowRequest = { body: Record<string, unknown>; references: RowReference[]; key: string | null }

const words: Record<string, boolean> = {
  ...Object.fromEntries(['true', 'yes', 'ja', 'evet', 'wahr', 'doğru'].map((word) => [word, true])),
  ...Object.fromEntries(['false', 'no', 'nein', 'hayır', 'falsch', 'yanlış'].map((word) => [word, false])),
}

/** An export puts `'` before a cell that starts with one of these characters, because a spreadsheet could interpret the
 *  cell as a formula (contract §17). */
const protectedCell = /^'(?=[=+\-@'])/

export function unprotect(cell: string): string {
  return cell.replace(protectedCell, '')
}

/** Converts a row to a request. Missing cells at the end of the row are treated as empty. A reference is null unless
 *  one of its columns has a value. */
export function toRequest(resource: Resource, { columns, match }: FileColumns, cells: readonly string[]): RowRequest {
  const body: Record<string, unknown> = {}
  const references = new Map<string, RowReference>()
  columns.forEach((column, index) => {
    const { target } = column
    if (!target || target.kind === 'id') return
    const cell = unprotect((cells[index] ?? '').trim())
    if (target.kind === 'field')
      body[target.name] = cell === '' ? null : convert(resource.fields[target.name]!, column, cell)
    else {
      body[target.field] ??= null
      const isBetter = precedence(columns, index) < precedence(columns, references.get(target.field)?.column)
      if (cell === '' || !isBetter) return
      references.set(target.field, { field: target.field, to: target.to, by: target.by, value: cell, column: index })
    }
  })
  const key = match === null ? '' : unprotect((cells[match] ?? '').trim())
  return { body, references: [...references.values()], key: key === '' ? null : key }
}

/** If several columns set the same reference, the id column takes precedence, followed by the columns in the order of
 *  the resource's `lookups`. */
function precedence(columns: readonly FileColumn[], index: number | undefined): number {
  const target = index === undefined ? undefined : columns[index]!.target
  return target?.kind === 'reference' ? target.rank : Number.POSITIVE_INFINITY
}

function convert(field: Field, { dates, amounts }: FileColumn, cell: string): unknown {
  switch (field.kind) {
    case 'boolean':
      return words[cell.toLocaleLowerCase('en')] ?? words[cell.toLocaleLowerCase('tr')] ?? cell
    case 'date':
      return readDate(cell, dates)
    case 'integer':
      return amounts ? readAmount(cell, amounts) : cell
    default:
      return cell
  }
}

/** Detects how the dates and amounts in each column are written, from the cells of all rows. `decimals`: how many
 *  decimals the tenant's currency has. */
export function watchFormats(resource: Resource, columns: readonly FileColumn[], decimals: number) {
  const watches = columns.map((column) => watchColumn(resource, column, decimals))
  const watched = watches.flatMap((watch, index) => (watch ? [{ watch, index }] : []))
  return {
    add(cells: readonly string[]): void {
      for (const { watch, index } of watched) {
        const cell = (cells[index] ?? '').trim()
        if (cell !== '') watch.add(cell)
      }
    },
    /** The columns with their formats. */
    result: (): FileColumn[] => columns.map((column, index) => ({ ...column, ...watches[index]?.format() })),
  }
}

type Watch = { add(cell: string): void; format(): Partial<FileColumn> }

/** Returns undefined unless the column sets a date or an amount. */
function watchColumn({ fields }: Resource, { target }: FileColumn, decimals: number): Watch | undefined {
  const field = target?.kind === 'field' ? fields[target.name] : undefined
  if (field?.kind === 'date') return watchDates()
  return field?.kind === 'integer' && field.isAmount ? watchAmounts(decimals) : undefined
}

type Separator = '.' | ','

const withDots = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/
const withSlashes = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/

/** The column gets a format only if any of its dates has slashes. */
function watchDates(): Watch {
  let [slashed, dayFirst, monthFirst] = [false, false, false]
  return {
    add(cell: string): void {
      const [, first, second] = withSlashes.exec(cell) ?? []
      if (first === undefined) return
      slashed = true
      dayFirst ||= Number(first) > 12
      monthFirst ||= Number(second) > 12
    },
    format() {
      if (!slashed) return {}
      if (dayFirst === monthFirst) return { dates: 'unclear' }
      return { dates: dayFirst ? 'day first' : 'month first' }
    },
  }
}

/** Returns the date as `YYYY-MM-DD`, or the unchanged cell if its format is unknown or unclear. Validation later checks
 *  whether the date exists. */
export function readDate(cell: string, slashed: DateFormat | undefined): string {
  const date = cell.replace(withDots, (_, day: string, month: string, year: string) => isoDate(year, month, day))
  if (slashed === undefined || slashed === 'unclear') return date
  return date.replace(withSlashes, (_, first: string, second: string, year: string) =>
    slashed === 'day first' ? isoDate(year, second, first) : isoDate(year, first, second),
  )
}

function isoDate(year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** An amount without spaces or currency. `digits`: the amount's digits and separators. */
type WrittenAmount = { sign: string; digits: string }

/** An amount's separators, as far as their meaning is clear. */
type Separators = { decimal?: Separator; thousands?: Separator }

/** `digits`: how many decimals the currency has. */
function watchAmounts(digits: number): Watch {
  const decimals = new Set<Separator>()
  const thousands = new Set<Separator>()
  return {
    add(cell: string): void {
      const written = parse(cell)
      const reading = written && readSeparators(written.digits)
      if (reading?.decimal) decimals.add(reading.decimal)
      if (reading?.thousands) thousands.add(reading.thousands)
    },
    format() {
      const unit = decimals.size > 0 ? 'major' : 'minor'
      const candidates = (['.', ','] as const).filter((separator) =>
        decimals.size > 0 ? decimals.has(separator) : thousands.size > 0 && !thousands.has(separator),
      )
      const isAgreed = candidates.length === 1 && !thousands.has(candidates[0]!)
      return { amounts: { unit, decimal: isAgreed ? candidates[0] : undefined, digits } }
    },
  }
}

/** Returns the amount in minor units as digits. A cell that is ambiguous, has too many decimals or is not an amount
 *  stays unchanged, so that validation rejects it. 1500.00 is accepted for a currency without decimals. */
export function readAmount(cell: string, { unit, decimal, digits }: AmountFormat): string {
  const written = parse(cell)
  if (!written) return cell
  const separator = readSeparators(written.digits)?.decimal ?? decimal
  if (separator === undefined && isAmbiguous(written.digits)) return cell
  const [whole, fraction = ''] = separator === undefined ? [written.digits] : split(written.digits, separator)
  const units = whole!.replaceAll(/[.,]/g, '')
  if (unit === 'minor') return fraction === '' ? written.sign + units : cell
  if (fraction.length > Math.max(digits, 2) || /[^0]/.test(fraction.slice(digits))) return cell
  return written.sign + units + fraction.slice(0, digits).padEnd(digits, '0')
}

/** Reads an ambiguous amount in major units as if its separator were a thousands separator: 1499 for `1.499`. Returns
 *  undefined for other cells. */
export function wholeAmount(cell: string): number | undefined {
  const written = parse(cell)
  return written && isAmbiguous(written.digits) ? Number(written.digits.replaceAll(/[.,]/g, '')) : undefined
}

/** Removes spaces, the apostrophes that Swiss amounts use as thousands separators, and a currency before or after the
 *  number. Returns undefined for text that is not an amount. */
function parse(cell: string): WrittenAmount | undefined {
  const compact = cell.replaceAll(/[\s\u00a0\u202f'’]/g, '')
  const match = /^(-?)(?:\p{Sc}|[A-Z]{3}|TL)?(-?)(\d[\d.,]*)(?:\p{Sc}|[A-Z]{3}|TL)?$/u.exec(compact)
  if (!match || !/\d$/.test(match[3]!) || (match[1] && match[2])) return undefined
  return isNumber(match[3]!) ? { sign: match[1]! + match[2]!, digits: match[3]! } : undefined
}

/** Whether the groups of digits form one number. */
function isNumber(digits: string): boolean {
  return /^\d+([.,]\d+)?$|^\d{1,3}(\.\d{3})+(,\d+)?$|^\d{1,3}(,\d{3})+(\.\d+)?$/.test(digits)
}

/** Undefined if there are no separators, or if they are ambiguous. */
function readSeparators(digits: string): Separators | undefined {
  const separators = digits.replaceAll(/\d/g, '')
  if (separators === '' || isAmbiguous(digits)) return undefined
  const first: Separator = separators.startsWith('.') ? '.' : ','
  const last: Separator = separators.endsWith('.') ? '.' : ','
  if (first !== last) return { decimal: last, thousands: first }
  return separators.length > 1 ? { thousands: first } : { decimal: first }
}

/** `1.299` can mean 1299 or 1.299; `0.299`, `1234.567` and `12.5` are unambiguous. */
function isAmbiguous(digits: string): boolean {
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)
}

function split(digits: string, separator: Separator): string[] {
  const index = digits.lastIndexOf(separator)
  return index === -1 ? [digits] : [digits.slice(0, index), digits.slice(index + 1)]
}
