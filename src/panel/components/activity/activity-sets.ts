// Reads the history as change sets. A change set contains all changes made by a single request, form or job.

import { historyOperations } from '../../../domain/history/operations.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { type ChangesFilter, type Entry, readChanges } from './change-list.ts'

/** Consecutive changes from a single change set. `entries`: the newest changes. `count`: how many changes in the set
 *  match the filter. `last`: the sequence number of the oldest of these changes. */
export type ActivitySet = { entries: Entry[]; count: number; last: number }

/** How many of a change set's changes are shown, newest first. If there is only one more change, it is also shown. */
export const maxShownChanges = 3

/** A page reads at most `maxReads` batches of `perRead` changes. */
const [maxReads, perRead] = [10, 100]

/** Returns change sets, newest first. `before`: the cursor for the next page. */
export async function readActivity(
  request: TenantRequest,
  { limit: maxSets, ...filter }: ChangesFilter,
): Promise<{ sets: ActivitySet[]; before: number | null }> {
  const sets: ActivitySet[] = []
  let next: number | null = filter.before ?? null
  for (let reads = 0; reads < maxReads; reads++) {
    const batch: ChangesFilter = { ...filter, limit: perRead, ...(next !== null && { before: next }) }
    const { entries, before } = await readChanges(request, batch)
    for (const entry of entries) addTo(sets, entry)
    next = before === null ? null : await nextCursor(request, filter, sets.at(-1)!)
    if (next === null || sets.length > maxSets) break
  }
  const shown = sets.slice(0, maxSets)
  return { sets: shown, before: sets.length > maxSets ? shown.at(-1)!.last : next }
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

/** Returns the cursor for the changes after a set. Counts a large set's remaining changes instead of reading them. */
async function nextCursor(
  { deps, tenant }: TenantRequest,
  { resource = null, id = null, action = null, by = null }: Omit<ChangesFilter, 'limit'>,
  set: ActivitySet,
): Promise<number | null> {
  const changeSet = set.entries[0]!.change_set
  if (changeSet === null || set.entries.length <= maxShownChanges) return set.last
  const query = { changeSet, last: set.last, resource, id, action, by, timeoutMs: deps.listTimeoutMs }
  const { first, count } = await deps.storage.run(tenant, historyOperations.changeRun, query)
  set.count += count - 1
  set.last = first
  return first > 1 ? first : null
}
