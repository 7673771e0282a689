// The operation that reads a page of an export, as text in the chosen format.

import type { Database } from '../../engine/database/database.ts'
import { defineOperations } from '../../engine/operation.ts'
import { type Resources, resourceNamed } from '../declarations/resource.ts'
import type { ListQuery, Position } from '../lists/query.ts'
import { readExportPage } from './page.ts'
import type { ExportLayout } from './request.ts'
import { sumsOf } from './sheet.ts'
import { writeRecords } from './write.ts'

/** `next`: where the next page starts; null after the last page. `sums`: if the export is a sheet, the page's total for
 *  each column of amounts. */
export type ExportPage = { text: string; next: Position | null; sums: Record<string, number> }

export const exportOperations = defineOperations({
  exportPage: { writes: false, isScan: true, needsSnapshot: true, run: exportPage },
})

async function exportPage(
  database: Database,
  { query, layout, ...input }: { resource: string; query: ListQuery; layout: ExportLayout },
  { resources }: { resources: Resources },
): Promise<ExportPage> {
  const resource = resourceNamed(resources, input.resource)
  const { records, next } = await readExportPage({ database, resource, resources, query })
  const sums = layout.format === 'csv' && layout.sheet ? sumsOf(records, layout.sheet) : {}
  return { text: writeRecords(records, layout), next, sums }
}
