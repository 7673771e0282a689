// Formats a CSV file for people: titles and words are in the user's language, amounts are in major units, and the last
// row may contain the sums of the amounts. An import understands the file.

import type { Value } from '../../engine/database/database.ts'
import { memberName } from '../lists/request/options.ts'
import { columnValue, type ExportColumn, type ExportedRecord } from './columns.ts'

/** `titles`: the column titles, in order. `words`: the words for choices and booleans, by column and value. `amounts`: the
 *  names of the columns with money. `decimals` and `point`: the format of amounts. `total`: the label of the row with the
 *  sums, which is written only if there are amounts; null for no such row. */
export type SheetFormat = {
  titles: readonly string[]
  words: Record<string, Record<string, string>>
  amounts: readonly string[]
  currency: string
  decimals: number
  point: ',' | '.'
  total: string | null
}

/** The currency column. Records have no such field; its cells contain `SheetFormat.currency`. */
export const currencyColumn: ExportColumn = { name: 'currency' }

/** The cells in a record's row. `isInStock`: whether its holder is a branch's stock. */
export function sheetRow(
  record: ExportedRecord,
  columns: readonly ExportColumn[],
  sheet: SheetFormat,
  isInStock: boolean,
): Value[] {
  return columns.map((column) => {
    if (column.name === currencyColumn.name) return sheet.currency
    if (isInStock ? column.isHolder : column.isStock) return null
    const value = columnValue(record, column)
    if (value === null) return null
    if (sheet.amounts.includes(column.name)) return majorUnits(Number(value), sheet)
    return sheet.words[column.name]?.[String(value)] ?? value
  })
}

/** Returns the id of the record's holder, and its branch if the holder is a storage location. */
export function holderOf(record: ExportedRecord, columns: readonly ExportColumn[]): { id: number; branch?: number } {
  const [holder, branch] = columns.find(({ isStock }) => isStock)?.titleOf?.path ?? []
  const related = holder ? record[memberName(holder.reference)] : null
  if (!branch || typeof related !== 'object' || related === null) return { id: 0 }
  const id = Number(related.id)
  return related.kind === 'storage' ? { id, branch: Number(related[branch.reference]) } : { id }
}

/** Adds up the amounts in these records, in minor units. */
export function sumsOf(records: readonly string[], { amounts }: SheetFormat): Record<string, number> {
  const sums = Object.fromEntries(amounts.map((name) => [name, 0]))
  if (amounts.length === 0) return sums
  for (const text of records) {
    const record: Record<string, number | null> = JSON.parse(text)
    for (const name of amounts) sums[name]! += record[name] ?? 0
  }
  return sums
}

export function totalRow(columns: readonly ExportColumn[], sheet: SheetFormat, sums: Record<string, number>): Value[] {
  return columns.map(({ name }, index) => {
    if (sheet.amounts.includes(name)) return majorUnits(sums[name] ?? 0, sheet)
    if (name === currencyColumn.name) return sheet.currency
    return index === 0 ? sheet.total : null
  })
}

/** Formats an amount: 149900 becomes `1499,00`. */
function majorUnits(minorUnits: number, { decimals, point }: SheetFormat): string {
  const digits = String(minorUnits).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}${point}${digits.slice(-decimals)}`
}
