// A fair queue: the tenants take turns, round-robin, however much each of them has asked for.

/** Items by tenant, each tenant's in the order in which they came. */
export type FairQueue<Item> = {
  add(tenant: string, item: Item): void
  /** At most `most` items of the first tenant that `mayTake`; it is behind all the others then. */
  take(most: number, mayTake?: (tenant: string) => boolean): { tenant: string; items: Item[] } | undefined
  /** Items that were taken and not begun: the first of their tenant when its turn comes again. */
  putBack(tenant: string, items: Item[]): void
  /** Takes every item that `isWanted` out of the queue. */
  remove(isWanted: (item: Item) => boolean): Item[]
  isEmpty(): boolean
  /** Empties the queue; what was in it. */
  clear(): Item[]
}

export function createFairQueue<Item>(): FairQueue<Item> {
  const waiting = new Map<string, Item[]>() // the first has the next turn

  function take(most: number, mayTake: (tenant: string) => boolean = () => true) {
    for (const [tenant, all] of waiting) {
      if (!mayTake(tenant)) continue
      waiting.delete(tenant)
      const items = all.length > most ? all.splice(0, most) : all
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
    putBack(tenant, items) {
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
