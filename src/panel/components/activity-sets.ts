// Reads the history as change sets: what one request, form or job changed is one entry, however large it is.

import type { TenantRequest } from '../request.ts'
import { type ChangesFilter, type Entry, readChanges } from './change-list.ts'

/** Changes in a row that belong to one change set. `entries`: the newest of them. `count`: of all that match the
 *  filter. `last`: the number of the oldest. */
export type ActivitySet = { entries: Entry[]; count: number; last: number }

/** Of a change set with more changes than this, the first ones are shown. */
export const mostOfSet = 3

/** A page is read in at most this many parts of this many changes. */
const [mostReads, perRead] = [10, 100]

/** The newest change sets first. `before`: the cursor of the next page. */
export async function readActivity(
  request: TenantRequest,
  { limit: mostSets, ...filter }: ChangesFilter,
): Promise<{ sets: ActivitySet[]; before: number | null }> {
  const sets: ActivitySet[] = []
  let next: number | null = filter.before ?? null
  for (let reads = 0; reads < mostReads; reads++) {
    const asked: ChangesFilter = { ...filter, limit: perRead, ...(next !== null && { before: next }) }
    const { entries, before } = await readChanges(request, asked)
    for (const entry of entries) addTo(sets, entry)
    next = before === null ? null : await behindLast(request, filter, sets.at(-1)!)
    if (next === null || sets.length > mostSets) break
  }
  const shown = sets.slice(0, mostSets)
  return { sets: shown, before: sets.length > mostSets ? shown.at(-1)!.last : next }
}

function addTo(sets: ActivitySet[], entry: Entry): void {
  const set = sets.at(-1)
  const isSame = entry.change_set !== null && set?.entries[0]?.change_set === entry.change_set
  if (!set || !isSame) {
    sets.push({ entries: [entry], count: 1, last: entry.seq })
    return
  }
  set.entries.push(entry)
  set.count++
  set.last = entry.seq
}

/** Where reading continues. What is left of a large set is counted instead of read. */
async function behindLast(
  { deps, tenant }: TenantRequest,
  { resource = null, id = null, action = null, by = null }: Omit<ChangesFilter, 'limit'>,
  set: ActivitySet,
): Promise<number | null> {
  const changeSet = set.entries[0]!.change_set
  if (changeSet === null || set.entries.length <= mostOfSet) return set.last
  const run = { changeSet, last: set.last, ...{ resource, id, action, by }, timeoutMs: deps.listTimeoutMs }
  const { first, count } = await deps.storage.run(tenant, 'changeRun', run)
  set.count += count - 1
  set.last = first
  return first > 1 ? first : null
}
