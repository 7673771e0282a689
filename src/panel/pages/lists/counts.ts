// Counts for lists: how many records are related to each record on a page, and how many records a list has without its
// filters.

import { countedBy } from '../../../domain/lists/counts.ts'
import { recordOperations } from '../../../domain/records/operations.ts'
import { TooSlow } from '../../../engine/database/database.ts'
import type { PanelRecord } from '../../components/record-fields.ts'
import { readList } from '../records/queries.ts'
import type { RecordRequest } from '../records/request.ts'
import type { ListColumn } from './columns.ts'
import { apiParams, type ListState } from './state.ts'

export async function readCounts(
  { deps, tenant, resource }: RecordRequest,
  columns: readonly ListColumn[],
  records: readonly PanelRecord[],
): Promise<Record<string, Map<number, number>>> {
  const wanted = columns.flatMap(({ name }) => (name.endsWith('_count') ? name : []))
  if (wanted.length === 0 || records.length === 0) return {}
  const ids = records.map(({ id }) => id)
  const counts = wanted.map(async (column) => {
    const of = countedBy(column)
    const found = await deps.storage.run(tenant, recordOperations.countOf, { resource: resource.name, of, ids })
    return [column, new Map(found)] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

/** Returns how many records the list has without its filters. Returns null if the list has no filters, if it shows a
 *  past day, or if counting takes too long. */
export async function countAll(request: RecordRequest, state: ListState): Promise<number | null> {
  if (Object.keys(state.filters).length === 0 || state.asOf !== null) return null
  const params = { ...apiParams(request, { ...state, filters: {}, sort: 'id' }), limit: '1', total: 'true' }
  try {
    return (await readList(request, request.resource, params)).total
  } catch (error) {
    if (error instanceof TooSlow) return null
    throw error
  }
}
