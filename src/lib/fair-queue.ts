// A fair queue: tenants take turns in round-robin order, however many items each of them has queued.

/** Items by tenant; those of one tenant keep their order. */
export type FairQueue<Item> = {
  add(tenant: string, item: Item): void
  /** Takes up to `limit` items of the first tenant that `mayTake` accepts. That tenant is then last in turn. */
  take(limit: number, mayTake?: (tenant: string) => boolean): { tenant: string; items: Item[] } | undefined
  /** Returns items that were taken but not started: they come first in their tenant's next turn. */
  requeue(tenant: string, items: Item[]): void
  /** Removes and returns every item that `isWanted` accepts. */
  remove(isWanted: (item: Item) => boolean): Item[]
  isEmpty(): boolean
  /** Empties the queue and returns its items. */
  clear(): Item[]
}

export function createFairQueue<Item>(): FairQueue<Item> {
  const waiting = new Map<string, Item[]>() // the first has the next turn

  function take(limit: number, mayTake: (tenant: string) => boolean = () => true) {
    for (const [tenant, all] of waiting) {
      if (!mayTake(tenant)) continue
      waiting.delete(tenant)
      const items = all.length > limit ? all.splice(0, limit) : all
      if (items !== all) waiting.set(tenant, all)
      return { tenant, items }
    }
    return undefined
  }

  function remove(isWanted: (item: Item) => boolean): Item[] {
    const removed: Item[] = []
    for (const [tenant, all] of waiting) {
      const left = all.filter((item) => !isWanted(item))
      if (left.length === all.length) continue
      removed.push(...all.filter(isWanted))
      if (left.length > 0) waiting.set(tenant, left)
      else waiting.delete(tenant)
    }
    return removed
  }

  return {
    add(tenant, item) {
      const all = waiting.get(tenant)
      if (all) all.push(item)
      else waiting.set(tenant, [item])
    },
    take,
    requeue(tenant, items) {
      if (items.length > 0) waiting.set(tenant, [...items, ...(waiting.get(tenant) ?? [])])
    },
    remove,
    isEmpty: () => waiting.size === 0,
    clear() {
      const all = [...waiting.values()].flat()
      waiting.clear()
      return all
    },
  }
}
