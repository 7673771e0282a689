// Why a row of a file cannot be imported.

import { Problem } from '../../problem.ts'
import type { FieldError } from '../../resources/field-values.ts'
import type { Columns } from '../../resources/import/columns.ts'
import type { Resource } from '../../resources/resource.ts'
import type { RowError } from '../jobs/job-parts.ts'

/** A file's columns, and the resource of its rows. */
export type ImportedFile = { resource: Resource; columns: Columns }

/** Thrown for a row that is invalid or conflicts with existing records. */
export class RowFailure extends Error {
  readonly errors: RowError[]

  constructor(errors: RowError[]) {
    super('a row failed')
    this.errors = errors
  }
}

/** Converts a problem with fields into row errors. Rethrows every other error. */
export function errorsOf(file: ImportedFile, row: number, error: unknown): RowError[] {
  if (!(error instanceof Problem)) throw error
  const { resource } = file
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.kind !== 'reference' || field.missingCode !== error.code) continue
    const column = columnOf(file, name)
    return [{ row, column, code: 'not_in_list', message: error.message }]
  }
  if (error.code !== 'validation_failed') throw error
  return Object.entries(error.members.errors as Record<string, FieldError>).map(([name, { code, message }]) => {
    const column = columnOf(file, name)
    return { row, column, code, message: column === null ? `${name}: ${message}` : message }
  })
}

/** Returns the title of a field's column, or null if the file has no such column. */
export function columnOf({ columns: { columns } }: ImportedFile, field: string): string | null {
  const column = columns.find(
    ({ target }) => target && (target.kind === 'reference' ? target.field === field : target.name === field),
  )
  return column?.title ?? null
}
