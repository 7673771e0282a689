// The errors of a row. Each names the column of the file that it is about.

import { Problem } from '../../../problem.ts'
import { type Resource, stockFieldOf } from '../../declarations/resource.ts'
import type { FieldError } from '../../fields/field-values.ts'
import type { CellError } from '../../jobs/job-parts.ts'
import type { FileColumns } from '../columns/columns.ts'
import { fieldOf } from '../columns/targets.ts'
import type { CellFault } from '../file/formats.ts'
import { acceptedValues } from './accepted-values.ts'

type ImportedFile = { resource: Resource; columns: FileColumns }

/** Thrown for a row that is invalid or conflicts with existing records. */
export class RowFailure extends Error {
  readonly errors: CellError[]

  constructor(errors: CellError[]) {
    super('a row failed')
    this.errors = errors
  }
}

/** Converts a problem with fields into the errors of a row. Rethrows every other error. */
export function errorsOf(file: ImportedFile, error: unknown): CellError[] {
  if (!(error instanceof Problem)) throw error
  const { resource } = file
  if (error.code === 'forbidden') return [forbiddenStock(file)]
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.kind !== 'reference' || field.missingCode !== error.code) continue
    return [inField(file, name, { code: 'not_in_list', message: error.message })]
  }
  if (error.code !== 'validation_failed') throw error
  return Object.entries(error.members.errors as Record<string, FieldError>).map(([name, { code, message }]) =>
    inField(file, name, { code, message: acceptedValues(resource, name, code) ?? message }),
  )
}

export function forbiddenStock(file: ImportedFile): CellError {
  const message = 'The customer has no stock yet, and this API key may not create employees.'
  return inField(file, stockFieldOf(file.resource)!.stock.member, { code: 'forbidden', message })
}

/** An error in a field names the field if the file has no column for it. */
function inField(file: ImportedFile, field: string, { code, message }: CellFault): CellError {
  const column = columnOf(file, field)
  return column === null ? { column, code, message: `${field}: ${message}`, field } : { column, code, message }
}

/** Returns the index of a field's column, or null if the file has no such column. */
export function columnOf({ columns: { columns } }: ImportedFile, field: string): number | null {
  const index = columns.findIndex(({ target }) => target && fieldOf(target) === field)
  return index === -1 ? null : index
}
