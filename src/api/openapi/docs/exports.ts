// Documents exports: parameters, file types and examples.

import { columns, type Resource, type Resources } from '../../../domain/declarations/resource.ts'
import { csvColumns, type ExportColumn, furtherColumns } from '../../../domain/exports/columns.ts'
import { delimiters, formats, purposes, readExportRequest } from '../../../domain/exports/request.ts'
import { readQuery } from '../../parse-request.ts'
import { exampleRecord, refused } from '../examples.ts'
import { choiceSchema, queryParameter, wordsParameter } from '../schemas/kinds.ts'
import type { Exchange, Parameter, Schema, TextType } from '../types.ts'

export const exportTypes: Record<TextType, Schema> = {
  'text/csv': { type: 'string', description: 'UTF-8 with a byte order mark; lines end with CRLF (RFC 4180).' },
  'application/x-ndjson': { type: 'string', description: 'One record per line, as JSON.' },
}

export function exportParameters(resource: Resource, resources: Resources): Parameter[] {
  const optionalColumns = furtherColumns(resource, resources)
  const allColumns = [...csvColumns(resource, resources), ...optionalColumns]
  const titlesOf = (columns: readonly ExportColumn[]) =>
    columns.flatMap(({ name, titleOf }) => {
      const scopes = titleOf?.path.map((step) => `\`${step.to}:read\``).join(' and ')
      return titleOf ? [`\`${name}\` (requires ${scopes})`] : []
    })
  const titles = titlesOf(allColumns.filter((column) => !optionalColumns.includes(column))).join(' and ')
  const optionalText =
    optionalColumns.length > 0 ? ` Use \`fields\` to add ${titlesOf(optionalColumns).join(' and ')}.` : ''
  const columnsText = titles === '' ? '' : ` Besides the fields, CSV files contain ${titles}.${optionalText}`
  return [
    queryParameter(
      'format',
      'Returns the whole list as a file, as it was at the start of the export. All list parameters can be used except `limit`, ' +
        '`cursor` and `total`; `include` cannot be used with `csv`. If the export fails, the connection is closed before ' +
        "the end of the response. In CSV, text that begins with `=`, `+`, `-`, `@` or `'`, or with a backtick and one of the " +
        "first four, is preceded by `'`, so that spreadsheets do not run it as a formula.",
      choiceSchema(formats),
    ),
    wordsParameter(
      'fields',
      `Only with \`format\`: the columns in order, separated by commas.${columnsText}`,
      allColumns.map(({ name }) => name),
    ),
    queryParameter('delimiter', 'Only with `format=csv`: the column separator.', {
      ...choiceSchema(Object.keys(delimiters)),
      default: 'comma',
    }),
    queryParameter(
      'for',
      "Only with `format=csv`: `spreadsheet` also puts `'` before text that a spreadsheet would turn into a number, a " +
        "date or a truth value, such as `00123`, `1E5`, `123456789012`, `3/4` or `TRUE`. Imports remove the `'`.",
      choiceSchema(purposes),
    ),
  ]
}

export function exportExchanges(resource: Resource, resources: Resources): Exchange[] {
  const record = exampleRecord(resource, {})
  const names = columns(resource).slice(0, 3)
  const cells = names.map((name) => String(record[name] ?? ''))
  const fields = `fields=${names.join(',')}`
  const [csv, invalidQuery] = [`format=csv&delimiter=semicolon&${fields}`, 'format=csv&limit=10']
  const members = Object.fromEntries(names.map((name) => [name, record[name]]))
  return [
    {
      name: 'csv',
      type: 'text/csv',
      request: { query: csv },
      status: 200,
      answer: `\ufeff${names.join(';')}\r\n${cells.join(';')}\r\n`,
    },
    {
      name: 'ndjson',
      type: 'application/x-ndjson',
      request: { query: `format=ndjson&${fields}` },
      status: 200,
      answer: `${JSON.stringify(members)}\n`,
    },
    refused(
      { query: invalidQuery },
      () => readExportRequest(readQuery(invalidQuery), { resource, resources, now: new Date(), canRead: () => true }),
      'pages of an export',
    ),
  ]
}
