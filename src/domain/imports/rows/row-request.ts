// A row as a JSON request: converts its cells to the values of the request's fields.

import { deriveOnce, type Field, isMultiline, type Resource } from '../../declarations/resource.ts'
import type { CellError } from '../../jobs/job-parts.ts'
import type { FileColumn, FileColumns } from '../columns/columns.ts'
import { cellOf, textOf } from '../file/cells.ts'
import { missingDate } from '../file/dates.ts'
import { CellFault, convert } from '../file/formats.ts'
import type { SoughtReference } from './references.ts'

/** A reference in a row. `field`: the field that refers to the record. `column`: the index of the column that contains the
 *  value; null if the caller has set it. */
export type RowReference = SoughtReference & { field: string; column: number | null }

/** A row as a request: its body fields, the references to look up, the values that identify the record, and the errors
 *  that validation would not find. `exported`: the id and the creation time in a row of an export. `missingDates`: for each
 *  field, the date in place of a missing one. */
export type RowRequest = {
  body: Record<string, unknown>
  references: RowReference[]
  key: string | null
  exported?: { id: string; createdAt: string }
  missingDates?: Record<string, string>
  errors: CellError[]
}

/** Converts a row to a request. A reference is null unless one of its columns, or the caller, has a value. */
export function toRequest(resource: Resource, file: FileColumns, cells: readonly string[]): RowRequest {
  const { columns, match, exportKey, set = [] } = file
  const body: Record<string, unknown> = {}
  const references = new Map<string, RowReference>()
  const missingDates: Record<string, string> = {}
  const errors: CellError[] = []
  columns.forEach((column, index) => {
    const { target } = column
    if (!target || target.kind === 'id') return
    const cell = cellOf(column, cells, index)
    if (target.kind === 'field') {
      const converted = convert(resource, resource.fields[target.name]!, column, cell)
      body[target.name] = converted instanceof CellFault ? null : converted
      if (converted instanceof CellFault) errors.push({ column: index, ...converted })
      const missing = column.noDate === undefined ? undefined : missingDate(cell)
      if (missing !== undefined) missingDates[target.name] = missing
    } else {
      body[target.field] ??= null
      const isBetter = precedence(columns, index) < precedence(columns, references.get(target.field)?.column)
      if (cell === '' || !isBetter) return
      const { field, to, by, readings = [by] } = target
      references.set(field, { field, to, readings, value: cell, column: index })
    }
  })
  for (const [name, indexes] of sharedTargets(columns)) {
    const texts = indexes.map((index) => ({ ...columns[index]!, text: cellOf(columns[index]!, cells, index) }))
    body[name] = joinTexts(resource.fields[name]!, texts)
  }
  for (const { target, value } of set) {
    if (target.kind === 'field') body[target.name] ??= convert(resource, resource.fields[target.name]!, {}, value)
    else if (!references.has(target.field)) {
      const { field, to, by, readings = [by] } = target
      body[field] = null
      references.set(field, { field, to, readings, value, column: null })
    }
  }
  if (set.length > 0 && !hasImportedCell(columns, cells)) errors.push(nothingToImport)
  const key = match === null ? '' : cellOf(columns[match]!, cells, match)
  const exported = exportKey && { id: textOf(cells, exportKey.id), createdAt: textOf(cells, exportKey.createdAt) }
  return {
    body,
    references: [...references.values()],
    key: key === '' ? null : key,
    ...(exported && { exported }),
    ...(Object.keys(missingDates).length > 0 && { missingDates }),
    errors,
  }
}

/** Whether any cell of the row would be imported. Some programs continue a record in further rows, for example with one row
 *  for each group that a device belongs to. Values for all rows must not turn these rows into records. */
function hasImportedCell(columns: readonly FileColumn[], cells: readonly string[]): boolean {
  return columns.some((column, index) => column.target !== null && cellOf(column, cells, index) !== '')
}

const nothingToImport: CellError = {
  column: null,
  code: 'required',
  message: 'The row has no value in any of the columns that are imported.',
}

/** The fields that several columns set together, each with the indexes of these columns. */
const sharedTargets = deriveOnce((columns: readonly FileColumn[]) => {
  const indexes = [...columns.keys()].filter((index) => columns[index]!.target?.kind === 'field')
  const groups = Map.groupBy(indexes, (index) => columns[index]!.target!.name)
  return [...groups].filter(([, each]) => each.length > 1)
})

/** Joins the texts of several columns: a first and a last name become one line, and notes have a line for each column. */
function joinTexts(field: Field, columns: readonly { title: string; text: string }[]): string | null {
  const given = columns.filter(({ text }) => text !== '')
  if (given.length === 0) return null
  if (!isMultiline(field)) return given.map(({ text }) => text).join(' ')
  return given.map(({ title, text }) => `${title}: ${text}`).join('\n')
}

/** If several columns set the same reference, the id column takes precedence, followed by the columns in the order of
 *  the resource's `lookups`. */
function precedence(columns: readonly FileColumn[], index: number | null = null): number {
  const target = index === null ? undefined : columns[index]!.target
  return target?.kind === 'reference' ? target.rank : Number.POSITIVE_INFINITY
}
