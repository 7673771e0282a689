// The operation that reads a page of an export, as text in the chosen format. Every page shows the state at the start of
// the export, or at `as_of`. No transaction has to stay open until the last page: the position contains the number of
// the last change that the export shows, and records that have changed since are reconstructed (docs/decisions/0032).

import { type Database, limitClause, Unavailable } from '../../engine/database/database.ts'
import { defineOperations } from '../../engine/operation.ts'
import type { Declared } from '../declarations/resource.ts'
import { listAsOf } from '../history/as-of-lists.ts'
import { latestSeq } from '../history/positions.ts'
import { listRecords, toList } from '../lists/page.ts'
import type { Condition, JsonPage, List, ListInput, Position } from '../lists/query.ts'
import { findStocks } from '../records/stock.ts'
import type { ExportColumn } from './columns.ts'
import type { ExportLayout } from './request.ts'
import { holderOf, sumsOf } from './sheet.ts'
import { writeRecords } from './write.ts'

/** `next`: where the next page starts; null after the last page. `sums`: if the export is a sheet, the page's total for
 *  each column of amounts. */
export type ExportPage = { text: string; next: Position | null; sums: Record<string, number> }

export const exportOperations = defineOperations({
  exportPage: { writes: false, isScan: true, needsSnapshot: true, run: exportPage },
})

async function exportPage(
  database: Database,
  { layout, ...input }: ListInput & { layout: ExportLayout },
  declared: Declared,
): Promise<ExportPage> {
  const { records, next } = await readExportPage(toList(database, input, declared))
  if (layout.format !== 'csv' || !layout.sheet) return { text: writeRecords(records, layout), next, sums: {} }
  const stocks = await findStocks(database, storageBranchesOf(records, layout.columns))
  return { text: writeRecords(records, layout, new Set(stocks.values())), next, sums: sumsOf(records, layout.sheet) }
}

function storageBranchesOf(records: readonly string[], columns: readonly ExportColumn[]): number[] {
  if (!columns.some(({ isStock }) => isStock)) return []
  return records.flatMap((text) => holderOf(JSON.parse(text), columns).branch ?? [])
}

/** Like listRecords, but all pages show the same state. A page before the last one may be empty. All reads for one page
 *  must see the same snapshot. Throws TooSlow. */
async function readExportPage(list: List): Promise<JsonPage> {
  const { database, query } = list
  if (query.asOf && !query.after) return listAsOf(list)
  const latest = await latestSeq(database)
  const seq = query.after?.seq ?? latest
  if (seq > latest) throw new Unavailable('the history was replaced by an older one during an export')
  if (seq < latest) return readPastPage(list, { ...query.after!, seq })
  const page = await listRecords(list)
  return { ...page, next: page.next && { ...page.next, seq } }
}

/** Reads a page of the list in a past state. If the list is sorted by id, the page covers a limited range of ids,
 *  because otherwise every record after the page's position would be searched for changes. */
async function readPastPage(list: List, after: Position & { seq: number }): Promise<JsonPage> {
  const { query } = list
  const end = query.sort.field === 'id' ? await endOfRange(list, after) : undefined
  if (end === undefined) return listAsOf(list)
  const upToEnd: Condition = { filter: 'id', operator: query.sort.isDescending ? 'gte' : 'lte', values: [end] }
  const conditions = [...query.conditions, upToEnd]
  const page = await listAsOf({ ...list, query: { ...query, conditions } })
  return { ...page, next: page.next ?? { value: end, id: end, seq: after.seq } }
}

/** Returns the id at which the page would end if there were no filters, or undefined if less than a page is left. */
async function endOfRange({ database, resource, query }: List, { id }: Position): Promise<number | undefined> {
  const { limit, sort } = query
  const [comparison, direction] = sort.isDescending ? ['<', 'desc'] : ['>', 'asc']
  const ids = `select id from ${resource.name} where id ${comparison} ? order by id ${direction} ${limitClause}`
  const row = await database.get<{ count: number; id: number }>(
    `select count(*) as count, ${sort.isDescending ? 'min' : 'max'}(id) as id from (${ids}) ids`,
    [id, limit],
  )
  return row!.count === limit ? row!.id : undefined
}
