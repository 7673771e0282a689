// Converts the text of a cell to the value of a JSON request (contract §17).

import type { Field, Resource } from '../../declarations/resource.ts'
import type { FileColumn } from '../columns/columns.ts'
import { type AmountFormat, type AmountUnit, readAmount } from './amounts.ts'
import { readChoiceWord, readDate, readYesNo } from './formats.ts'

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
      return readDate(cell, dates)
    case 'integer':
      return amounts ? convertAmount(cell, amounts) : cell
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
