// How each column of an imported file is written, and the values of a JSON request that its cells mean (contract §17).

import { externalIdField, type Field, isAmount, isCode, type Resource } from '../../declarations/resource.ts'
import type { ColumnTarget, FileColumn, FileColumns } from '../columns/columns.ts'
import { type AmountFormat, type AmountUnit, type Currency, readAmount, watchAmounts } from './amounts.ts'
import { cellOf, watchOddCharacters } from './cells.ts'
import { missingDate, readDate, watchDates } from './dates.ts'
import { readChoiceWord, readCountry, readYesNo } from './words.ts'

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

const marks = new Set(['x', '×', '✓', '✔', '✅', '☑', '☒'])

/** Detects a column in which a mark means yes and an empty cell means no. */
function watchMarks() {
  let [hasMarks, hasWords] = [false, false]
  return {
    add(cell: string): void {
      if (marks.has(cell.toLowerCase().replace('\ufe0f', ''))) hasMarks = true
      else hasWords = true
    },
    format: (): { isBlankNo?: true } => (hasMarks && !hasWords ? { isBlankNo: true } : {}),
  }
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
type CellFormat = Pick<FileColumn, 'dates' | 'noDate' | 'amounts' | 'isBlankNo'>

/** Returns a text that is not understood as it is, so that validation reports it. */
export function convert(
  resource: Resource,
  field: Field,
  { dates, noDate, amounts, isBlankNo }: CellFormat,
  cell: string,
): unknown {
  if (cell === '') return isBlankNo ? false : null
  switch (field.kind) {
    case 'boolean':
      return readYesNo(cell) ?? cell
    case 'choice':
      return readChoiceWord(resource, field.of, cell) ?? cell
    case 'date':
      // Without noDate, the value was given by the caller for all rows, so even such a date is meant as it stands.
      return noDate !== undefined && missingDate(cell) ? null : readDate(cell, dates)
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
