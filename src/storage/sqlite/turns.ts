// Who waits for one thread: the tenants take turns, however much each of them has asked for.

/** Items by tenant, each tenant's in the order in which they came. */
export type Line<Item> = {
  add(tenant: string, item: Item): void
  /** Up to so many items of the tenant whose turn it is, and that may have one; it is behind the others then. */
  take(most: number, mayHave?: (tenant: string) => boolean): { tenant: string; items: Item[] } | undefined
  /** Items that were taken and not done: the first of their tenant when its turn comes again. */
  putBack(tenant: string, items: Item[]): void
  /** The tenant whose turn it is. */
  next(): string | undefined
  isEmpty(): boolean
  /** Everything that waits; nothing does afterwards. */
  clear(): Item[]
}

export function openLine<Item>(): Line<Item> {
  const waiting = new Map<string, Item[]>() // the first has the next turn

  function take(most: number, mayHave: (tenant: string) => boolean = () => true) {
    for (const [tenant, all] of waiting) {
      if (!mayHave(tenant)) continue
      waiting.delete(tenant)
      const items = all.length > most ? all.splice(0, most) : all
      if (items !== all) waiting.set(tenant, all)
      return { tenant, items }
    }
    return undefined
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
    next: () => waiting.keys().next().value,
    isEmpty: () => waiting.size === 0,
    clear() {
      const all = [...waiting.values()].flat()
      waiting.clear()
      return all
    },
  }
}
