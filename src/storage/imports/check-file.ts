// Checks a file as a whole before anything of it is stored: its encoding, delimiter, columns, and every row's syntax.

import { decodeText, detectEncoding, type Encoding, NotText } from '../../lib/csv/encoding.ts'
import { type Delimiter, detectDelimiter, InvalidCsv, isEmptyRow, readRows } from '../../lib/csv/rows.ts'
import { Problem } from '../../problem.ts'
import {
  type Assumption,
  assumptionsOf,
  type ColumnOptions,
  type Columns,
  matchColumns,
  watchFormats,
} from '../../resources/import/columns.ts'
import { defaultMatch } from '../../resources/import/targets.ts'
import { titlesOfField } from '../../resources/labels.ts'
import type { Resource, Resources } from '../../resources/resource.ts'
import { type FileRow, writePart } from './import-tables.ts'

export const missingHeader = 'The first row of the file must contain the titles of its columns, but it is empty.'

/** Opens the file from its start. */
export type FileSource = () => AsyncIterable<Buffer>

/** How to read the file, and what is known about it. `match`: the name of the column that identifies records. */
export type CheckedFile = {
  encoding: Encoding
  delimiter: Delimiter
  columns: Columns
  match: string
  assumptions: Assumption[]
  rows: number
  parts: number
}

/** Reads the file three times, with flat memory. `decimals`: those of the tenant's currency. Throws `invalid_request`. */
export async function checkFile(
  source: FileSource,
  resource: Resource,
  resources: Resources,
  options: ColumnOptions,
  decimals: number,
): Promise<CheckedFile> {
  try {
    const encoding = await detectEncoding(source())
    const delimiter = await detectDelimiter(decodeText(source(), encoding))
    const { header, rows } = await readFile(source, { encoding, delimiter })
    const { columns, match } = matchColumns(header, resource, resources, options, titlesOfField)
    const formats = watchFormats(resource, columns, decimals)
    let [rowCount, partCount] = [0, 0]
    for await (const part of inParts(rows)) {
      for (const { cells } of part) formats.add(cells)
      rowCount += part.length
      partCount++
    }
    const known: Columns = { columns: formats.result(), match }
    return {
      ...{ encoding, delimiter, columns: known },
      match: match === null ? defaultMatch : columns[match]!.target!.name,
      ...{ rows: rowCount, parts: partCount },
      assumptions: [...assumedSyntax(encoding, delimiter), ...assumptionsOf(resource, known, options)],
    }
  } catch (error) {
    if (error instanceof NotText) throw refuse(`The file ${error.message}`, error)
    if (error instanceof InvalidCsv) throw refuse(error.message, error)
    throw error
  }
}

/** The panel tells by the cause what is wrong. */
function refuse(message: string, cause: NotText | InvalidCsv): Problem {
  return new Problem('invalid_request', { message, cause })
}

function assumedSyntax(encoding: Encoding, delimiter: Delimiter): Assumption[] {
  return [
    ...(encoding === 'utf-8' ? [] : [{ code: 'encoding' as const, value: encoding }]),
    ...(delimiter === ',' ? [] : [{ code: 'delimiter' as const, value: delimiter }]),
  ]
}

/** The parts of a checked file, as they are stored. */
export async function* readParts(source: FileSource, checked: CheckedFile): AsyncGenerator<string> {
  const { rows } = await readFile(source, checked)
  for await (const part of inParts(rows)) yield writePart(part)
}

type Syntax = Pick<CheckedFile, 'encoding' | 'delimiter'>

/** The titles in row 1, and the rows that have cells. */
async function readFile(
  source: FileSource,
  { encoding, delimiter }: Syntax,
): Promise<{ header: string[]; rows: AsyncIterable<FileRow> }> {
  const all = readRows(decodeText(source(), encoding), delimiter)
  const first = await all.next()
  if (first.done || isEmptyRow(first.value)) {
    await all.return(undefined)
    throw new InvalidCsv(missingHeader, 'no_header', 1)
  }
  return { header: withoutEmptyEnd(first.value.cells), rows: rowsWithCells(all) }
}

/** Titles up to the last one that is not blank: a spreadsheet writes a delimiter for each column that it has ever used. */
function withoutEmptyEnd(titles: readonly string[]): string[] {
  return titles.slice(0, titles.findLastIndex((title) => title.trim() !== '') + 1)
}

async function* rowsWithCells(all: ReturnType<typeof readRows>): AsyncGenerator<FileRow> {
  for await (const row of all) if (!isEmptyRow(row)) yield { row: row.number, cells: row.cells }
}

/** A part is worked on as a whole, so its size decides how long a step of the import takes at least: about 5 ms. */
const partLimits = { rows: 50, characters: 65_536 }

async function* inParts(rows: AsyncIterable<FileRow>): AsyncGenerator<FileRow[]> {
  let part: FileRow[] = []
  let characters = 0
  for await (const row of rows) {
    part.push(row)
    for (const cell of row.cells) characters += cell.length
    if (part.length < partLimits.rows && characters < partLimits.characters) continue
    yield part
    part = []
    characters = 0
  }
  if (part.length > 0) yield part
}
