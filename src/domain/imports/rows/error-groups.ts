// Equal errors of an import, counted together (contract §17).

import type { CellError, FailedRow } from '../../jobs/job-parts.ts'

/** Errors with the same code in the same column or field. `column`: the column's index; null if the errors are not about
 *  a column. `field`: the field that an error without a column is about. */
export type ErrorGroup = Pick<CellError, 'code' | 'column' | 'field'> & { count: number; firstRow: number }

/** An import has at most this many groups: a file with hundreds of columns can have more, but nobody reads them. */
const maxGroups = 100

/** Adds the errors of these rows, which follow the rows of the groups. */
export function addErrors(groups: readonly ErrorGroup[], rows: readonly FailedRow[]): ErrorGroup[] {
  const byKey = new Map(groups.map((group) => [keyOf(group), group]))
  for (const { row, errors } of rows) {
    for (const error of errors) {
      const key = keyOf(error)
      const group = byKey.get(key)
      if (group) byKey.set(key, { ...group, count: group.count + 1 })
      else if (byKey.size < maxGroups) byKey.set(key, newGroup(error, row))
    }
  }
  return [...byKey.values()]
}

function newGroup({ code, column, field }: CellError, row: number): ErrorGroup {
  return { code, column, ...(field !== undefined && { field }), count: 1, firstRow: row }
}

export function keyOf({ code, column, field }: Pick<CellError, 'code' | 'column' | 'field'>): string {
  return JSON.stringify([code, column, field ?? null])
}
