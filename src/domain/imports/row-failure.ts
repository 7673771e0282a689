// Why a row of a file cannot be imported.

import { Problem } from '../../problem.ts'
import type { Resource } from '../declarations/resource.ts'
import type { FieldError } from '../fields/field-values.ts'
import type { CellError } from '../jobs/job-parts.ts'
import type { Columns } from './reading/columns.ts'

/** A file's columns, and the resource of its rows. */
export type ImportedFile = { resource: Resource; columns: Columns }

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
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.kind !== 'reference' || field.missingCode !== error.code) continue
    const column = columnOf(file, name)
    return [{ column, code: 'not_in_list', message: error.message }]
  }
  if (error.code !== 'validation_failed') throw error
  return Object.entries(error.members.errors as Record<string, FieldError>).map(([name, { code, message }]) => {
    const column = columnOf(file, name)
    return { column, code, message: column === null ? `${name}: ${message}` : message }
  })
}

/** Returns the index of a field's column, or null if the file has no such column. */
export function columnOf({ columns: { columns } }: ImportedFile, field: string): number | null {
  const index = columns.findIndex(
    ({ target }) => target && (target.kind === 'reference' ? target.field === field : target.name === field),
  )
  return index === -1 ? null : index
}
