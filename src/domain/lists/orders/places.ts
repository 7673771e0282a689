// Reads one page of records, given their positions in the list.

import type { List } from '../list.ts'
import { listRecords } from '../page.ts'
import type { Page, Position } from '../query.ts'

/** `places`: the places in list order, with one more than the page size if there is a next page. */
export async function pageOfPlaces(list: List, places: readonly Position[], total: number | null): Promise<Page> {
  const { query } = list
  const shown = places.slice(0, query.limit)
  const ids = shown.map(({ id }) => id)
  const condition = { filter: 'id', operator: 'in', values: ids } as const
  const byId = { sort: { field: 'id', isDescending: false }, after: null, withTotal: false }
  const found = await listRecords({ ...list, query: { ...query, ...byId, conditions: [condition], words: [] } })
  const recordOf = new Map(ids.toSorted((one, other) => one - other).map((id, index) => [id, found.records[index]]))
  const [first, last] = [shown[0], shown.at(-1)]
  return {
    records: ids.flatMap((id) => recordOf.get(id) ?? []),
    next: places.length > query.limit ? last! : null,
    total,
    ...(first && last && { ends: { first, last } }),
  }
}
