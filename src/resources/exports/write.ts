// Writes records, given as JSON texts, as CSV or NDJSON (contract §17).

import { stringify } from 'csv-stringify/sync'
import type { Value } from '../../database/database.ts'
import type { Resource } from '../resource.ts'
import type { Column } from './columns.ts'
import type { ExportForm } from './request.ts'

/** The headers of a file with this export. */
export function exportFile({ name }: Resource, { format }: ExportForm, now: Date): Record<string, string> {
  return {
    'content-type': { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' }[format],
    'content-disposition': `attachment; filename="${name}-${now.toISOString().slice(0, 10)}.${format}"`,
  }
}

/** What precedes the records: of CSV a byte order mark, which makes spreadsheets read UTF-8, and the names of the columns. */
export function writeHead(form: ExportForm): string {
  if (form.format === 'ndjson') return ''
  return `\ufeff${writeRows([form.columns.map(({ name }) => name)], form.delimiter)}`
}

/** One line per record. */
export function writeRecords(records: readonly string[], form: ExportForm): string {
  if (form.format === 'csv') return writeRows(records.map(rowOf(form.columns)), form.delimiter)
  return records.map((text) => `${form.fields ? selectMembers(text, form.fields) : text}\n`).join('')
}

/** CSV as in RFC 4180. Text that a spreadsheet would take for a formula is marked as text. */
export function writeRows(rows: readonly (readonly Value[])[], delimiter: string): string {
  const cells = rows.map((row) => row.map((value) => (typeof value === 'string' ? withoutFormula(value) : value)))
  return stringify(cells, {
    delimiter,
    record_delimiter: 'windows',
    cast: { boolean: String },
    quoted_match: /[\r\n]/, // the library quotes only its own record delimiter
    quoted_empty: rows[0]?.length === 1, // a line of one empty cell would be an empty line, which is no row
  })
}

/** Import removes the apostrophe again if one of these characters follows it. */
function withoutFormula(text: string): string {
  return /^[=+\-@']/.test(text) ? `'${text}` : text
}

function rowOf(columns: readonly Column[]): (text: string) => Value[] {
  const names = columns.map(({ name }) => name)
  return (text) => {
    const record = JSON.parse(text) as Record<string, Value>
    return names.map((name) => record[name]!)
  }
}

function selectMembers(text: string, fields: readonly string[]): string {
  const record = JSON.parse(text) as Record<string, unknown>
  return JSON.stringify(Object.fromEntries(fields.map((name) => [name, record[name]])))
}
