// Writes an import's failed rows as CSV: the file's columns, then a column with the errors. Users correct these rows
// and import them again.

import type { Engine } from '../../../engine/engine.ts'
import type { TenantLocation } from '../../../engine/tenant-databases.ts'
import { unprotect } from '../../exports/spreadsheet-text.ts'
import { writeRows } from '../../exports/write.ts'
import type { CellError, FailedRow } from '../../jobs/job-parts.ts'
import { importOperations } from '../operations.ts'

const rowsPerPage = 100

/** `texts`: the indexes of the columns in which text is protected from spreadsheets. `describe`: returns the text for an
 *  error, for example in another language. */
export type FailedRowsLayout = {
  texts: ReadonlySet<number>
  describe: (error: CellError, row: FailedRow) => string
}

/** Reads page by page, so that memory use is constant. Yields nothing if there is no such import. */
export async function* failedRowsCsv(
  engine: Pick<Engine, 'run'>,
  tenant: TenantLocation,
  id: number,
  layout?: FailedRowsLayout,
): AsyncGenerator<string> {
  for (let after = 0, isFirst = true; ; isFirst = false) {
    const page = await engine.run(tenant, importOperations.listImportFailures, { id, after, limit: rowsPerPage })
    if (!page) return
    const { titles, delimiter, failures } = page
    const describe = layout?.describe ?? ((error: CellError) => messageOf(error, titles))
    const rows = failures.map((failure) => {
      return [...cellsOf(failure, titles.length), failure.errors.map((error) => describe(error, failure)).join(' ')]
    })
    if (isFirst) yield `\ufeff${writeRows([[...titles, 'error']], delimiter)}`
    if (rows.length > 0) yield writeRows(rows, delimiter, layout?.texts)
    if (failures.length === 0) return
    after = failures.at(-1)!.row
  }
}

/** Pads a row that has fewer than `count` cells. A row with more cells keeps all of them. */
function cellsOf({ cells }: FailedRow, count: number): string[] {
  return Array.from({ length: Math.max(count, cells.length) }, (_, index) => unprotect(cells[index] ?? ''))
}

function messageOf({ column, message }: CellError, titles: readonly string[]): string {
  return column === null ? message : `${titles[column]}: ${message}`
}
