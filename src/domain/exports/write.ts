// Converts records from JSON to CSV or NDJSON (contract §17).

import { stringify } from 'csv-stringify/sync'
import type { Value } from '../../engine/database/database.ts'
import { columnValue, type ExportedRecord } from './columns.ts'
import type { ExportLayout } from './request.ts'
import { holderOf, sheetRow, totalRow } from './sheet.ts'
import { forSpreadsheet, withoutFormula } from './spreadsheet-text.ts'

/** The response headers for an exported file. `name`: the file's name, in ASCII and without its extension. */
export function exportFile(name: string, { format }: ExportLayout): Record<string, string> {
  return {
    'content-type': { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' }[format],
    'content-disposition': `attachment; filename="${name}.${format}"`,
  }
}

/** The text before the records. For CSV, this is a byte order mark followed by the column titles. The mark makes
 *  spreadsheets read the file as UTF-8. */
export function writeHead(layout: ExportLayout): string {
  if (layout.format === 'ndjson') return ''
  const titles = layout.sheet?.titles ?? layout.columns.map(({ name }) => name)
  return `\ufeff${writeRows([titles], layout.delimiter)}`
}

/** Returns one CSV row or NDJSON line per record. `stocks`: the ids of the holders that are a branch's stock, for a
 *  sheet. */
export function writeRecords(
  records: readonly string[],
  layout: ExportLayout,
  stocks: ReadonlySet<number> = new Set(),
): string {
  if (layout.format === 'csv') return writeRows(records.map(rowOf(layout, stocks)), layout.delimiter, textsOf(layout))
  return records.map((text) => `${layout.fields ? selectMembers(text, layout.fields) : text}\n`).join('')
}

/** The text after the records: the row with the sums, if a sheet has amounts. */
export function writeEnd(layout: ExportLayout, sums: Record<string, number>): string {
  if (layout.format !== 'csv' || !layout.sheet?.total || layout.sheet.amounts.length === 0) return ''
  return writeRows([totalRow(layout.columns, layout.sheet, sums)], layout.delimiter)
}

/** Returns the rows as CSV (RFC 4180). An apostrophe is put in front of text that a spreadsheet could interpret as a
 *  formula, or that already starts with an apostrophe. `texts`: the indexes of the columns in which it is also put in
 *  front of text that a spreadsheet would change. */
export function writeRows(
  rows: readonly (readonly Value[])[],
  delimiter: string,
  texts: ReadonlySet<number> = new Set(),
): string {
  const write = (value: Value, index: number) => {
    if (typeof value !== 'string') return value
    return texts.has(index) ? forSpreadsheet(value) : withoutFormula(value)
  }
  const cells = rows.map((row) => row.map(write))
  return stringify(cells, {
    delimiter,
    record_delimiter: 'windows',
    cast: { boolean: String },
    quoted_match: /[\r\n,;\t]/, // also other delimiters: a program may expect them, and read what follows as a formula
    quoted_empty: rows[0]?.length === 1, // without quotes, a row of one empty cell would be an empty line
  })
}

function textsOf({ columns, isForSpreadsheets }: ExportLayout & { format: 'csv' }): ReadonlySet<number> {
  const indexes = [...columns.keys()]
  return new Set(isForSpreadsheets ? indexes.filter((index) => columns[index]!.isText) : [])
}

function rowOf(
  { columns, sheet }: ExportLayout & { format: 'csv' },
  stocks: ReadonlySet<number>,
): (text: string) => Value[] {
  return (text) => {
    const record: ExportedRecord = JSON.parse(text)
    if (sheet) return sheetRow(record, columns, sheet, stocks.has(holderOf(record, columns).id))
    return columns.map((column) => columnValue(record, column))
  }
}

function selectMembers(text: string, fields: readonly string[]): string {
  const record: ExportedRecord = JSON.parse(text)
  return JSON.stringify(Object.fromEntries(fields.map((name) => [name, record[name]])))
}
