// A fair queue: tenants take turns in round-robin order, regardless of how many items each has queued.

/** The items of each tenant keep their order. */
export type FairQueue<Item> = {
  add(tenant: string, item: Item): void
  /** Takes up to `limit` items of the first tenant that `mayTake` accepts. That tenant then waits for all others. */
  take(limit: number, mayTake?: (tenant: string) => boolean): { tenant: string; items: Item[] } | undefined
  /** Puts back items that were taken but not started. They come first in their tenant's next turn. */
  requeue(tenant: string, items: Item[]): void
  /** Removes and returns every item that `isWanted` accepts. */
  remove(isWanted: (item: Item) => boolean): Item[]
  isEmpty(): boolean
  /** Empties the queue and returns its items. */
  clear(): Item[]
}

export function createFairQueue<Item>(): FairQueue<Item> {
  const waiting = new Map<string, Item[]>() // by tenant; the first tenant has the next turn

  function take(limit: number, mayTake: (tenant: string) => boolean = () => true) {
    for (const [tenant, queued] of waiting) {
      if (!mayTake(tenant)) continue
      waiting.delete(tenant)
      const items = queued.length > limit ? queued.splice(0, limit) : queued
      if (items !== queued) waiting.set(tenant, queued)
      return { tenant, items }
    }
    return undefined
  }

  function remove(isWanted: (item: Item) => boolean): Item[] {
    const removed: Item[] = []
    for (const [tenant, queued] of waiting) {
      const remaining = queued.filter((item) => !isWanted(item))
      if (remaining.length === queued.length) continue
      removed.push(...queued.filter(isWanted))
      if (remaining.length > 0) waiting.set(tenant, remaining)
      else waiting.delete(tenant)
    }
    return removed
  }

  return {
    add(tenant, item) {
      const queued = waiting.get(tenant)
      if (queued) queued.push(item)
      else waiting.set(tenant, [item])
    },
    take,
    requeue(tenant, items) {
      if (items.length > 0) waiting.set(tenant, [...items, ...(waiting.get(tenant) ?? [])])
    },
    remove,
    isEmpty: () => waiting.size === 0,
    clear() {
      const items = [...waiting.values()].flat()
      waiting.clear()
      return items
    },
  }
}
