// Converts the cells of a row to the values of a JSON request. A cell that cannot be converted stays unchanged, so that
// validation rejects it.

import type { Field, Resource } from '../../declarations/resource.ts'
import type { FileColumn, FileColumns } from './columns.ts'
import { readAmount, readDate } from './formats.ts'

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
