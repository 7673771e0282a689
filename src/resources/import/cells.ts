// Turns the cells of a row into the values that a JSON request would have. What cannot be converted stays as it is, so that
// validation rejects it like any other request.

import type { Field, Resource } from '../resource.ts'
import { readAmount } from './amounts.ts'
import type { Column, Columns } from './columns.ts'
import { readDate } from './dates.ts'

/** A reference that a row gives: the column it comes from, and the value to find the record by. */
export type GivenReference = { field: string; to: string; by: string; value: string; column: number }

/** A row as a request: the fields of its body, the references to look up, and the value that identifies the record. */
export type RowRequest = { body: Record<string, unknown>; references: GivenReference[]; key: string | null }

const words: Record<string, boolean> = {
  ...Object.fromEntries(['true', 'yes', 'ja', 'evet', 'wahr', 'doğru'].map((word) => [word, true])),
  ...Object.fromEntries(['false', 'no', 'nein', 'hayır', 'falsch', 'yanlış'].map((word) => [word, false])),
}

/** Export puts `'` before a cell that a spreadsheet would take for a formula (contract §17). */
const protectedCell = /^'(?=[=+\-@'])/

export function unprotect(cell: string): string {
  return cell.replace(protectedCell, '')
}

/** Missing cells at the end of a row are empty. A reference is null unless one of its columns has a value. */
export function toRequest(resource: Resource, { columns, match }: Columns, cells: readonly string[]): RowRequest {
  const body: Record<string, unknown> = {}
  const references = new Map<string, GivenReference>()
  columns.forEach((column, at) => {
    const { target } = column
    if (!target || target.kind === 'id') return
    const cell = unprotect((cells[at] ?? '').trim())
    if (target.kind === 'field')
      body[target.name] = cell === '' ? null : convert(resource.fields[target.name]!, column, cell)
    else {
      body[target.field] ??= null
      const isBetter = precedence(columns, at) < precedence(columns, references.get(target.field)?.column)
      if (cell === '' || !isBetter) return
      references.set(target.field, { field: target.field, to: target.to, by: target.by, value: cell, column: at })
    }
  })
  const key = match === null ? '' : unprotect((cells[match] ?? '').trim())
  return { body, references: [...references.values()], key: key === '' ? null : key }
}

/** The id comes first, then the external id, then the other columns in the order of the declaration. */
function precedence(columns: readonly Column[], at: number | undefined): number {
  const target = at === undefined ? undefined : columns[at]!.target
  return target?.kind === 'reference' ? target.rank : Number.POSITIVE_INFINITY
}

function convert(field: Field, { dates, amounts }: Column, cell: string): unknown {
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
