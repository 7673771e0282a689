// How many records belong to each record of a page, for columns that count.

import type { PanelRecord } from '../../components/record-fields.ts'
import type { RecordRequest } from '../records/request.ts'
import type { ListColumn } from './columns.ts'

export async function readCounts(
  { deps, tenant, resource }: RecordRequest,
  columns: readonly ListColumn[],
  records: readonly PanelRecord[],
): Promise<Record<string, Map<number, number>>> {
  const wanted = columns.flatMap(({ name }) => (name.endsWith('_count') ? name : []))
  if (wanted.length === 0 || records.length === 0) return {}
  const ids = records.map(({ id }) => id)
  const counts = wanted.map(async (column) => {
    const of = column.slice(0, -'_count'.length)
    const found = await deps.storage.run(tenant, 'countOf', { resource: resource.name, of, ids })
    return [column, new Map(found)] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}
