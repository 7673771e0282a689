// The operation that reads a page of an export, as text in the chosen format.

import type { Database } from '../../../database/database.ts'
import { readExportPage } from '../../../resources/exports/page.ts'
import type { ExportLayout } from '../../../resources/exports/request.ts'
import { sumsOf } from '../../../resources/exports/sheet.ts'
import { writeRecords } from '../../../resources/exports/write.ts'
import type { ListQuery, Position } from '../../../resources/lists/query.ts'
import { type Resources, resourceNamed } from '../../../resources/resource.ts'
import type { Operations } from '../operation.ts'

/** `next`: where the next page starts; null after the last page. `sums`: if the export is a sheet, the page's total for
 *  each column of amounts. */
export type ExportPage = { text: string; next: Position | null; sums: Record<string, number> }

export const exportOperations = {
  exportPage: { writes: false, isScan: true, needsSnapshot: true, run: exportPage },
} as const satisfies Operations

async function exportPage(
  database: Database,
  resources: Resources,
  { query, layout, ...input }: { resource: string; query: ListQuery; layout: ExportLayout },
): Promise<ExportPage> {
  const resource = resourceNamed(resources, input.resource)
  const { records, next } = await readExportPage({ database, resource, resources, query })
  const sums = layout.format === 'csv' && layout.sheet ? sumsOf(records, layout.sheet) : {}
  return { text: writeRecords(records, layout), next, sums }
}
