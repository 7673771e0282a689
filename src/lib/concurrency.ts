// Decides when work runs: in which order, how much at the same time, and how often.

/** A queue in which tenants take turns, regardless of how many items each has queued. The items of each tenant keep
 *  their order. */
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

/** No slot became free in time. */
export class NoFreeSlot extends Error {}

export type FairSemaphore = {
  /** Runs `work` as soon as a slot is free. Waiting tenants take turns. Throws NoFreeSlot. */
  run<T>(tenant: string, work: () => Promise<T>): Promise<T>
}

/** Limits how much work runs at the same time, in total and for each tenant. */
export function createFairSemaphore(limits: { perTenant: number; total: number; maxWaitMs: number }): FairSemaphore {
  const waiting = createFairQueue<() => void>()
  const occupied = new Map<string, number>()
  let free = limits.total

  function startWaiting(): void {
    while (free > 0) {
      const next = waiting.take(1, (tenant) => (occupied.get(tenant) ?? 0) < limits.perTenant)
      if (!next) return
      free--
      occupied.set(next.tenant, (occupied.get(next.tenant) ?? 0) + 1)
      next.items[0]!()
    }
  }

  async function enter(tenant: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.add(tenant, resolve)
    startWaiting()
    const timer = setTimeout(() => {
      waiting.remove((item) => item === resolve)
      reject(new NoFreeSlot()) // has no effect if a slot was just assigned
    }, limits.maxWaitMs)
    await promise.finally(() => clearTimeout(timer))
  }

  function leave(tenant: string): void {
    const remaining = occupied.get(tenant)! - 1
    if (remaining === 0) occupied.delete(tenant)
    else occupied.set(tenant, remaining)
    free++
    startWaiting()
  }

  return {
    async run(tenant, work) {
      await enter(tenant)
      try {
        return await work()
      } finally {
        leave(tenant)
      }
    },
  }
}

export class QueueFull extends Error {}

export type Semaphore = {
  /** Runs `work` as soon as a slot is free. Waiting work with a smaller `priority` number comes first. Throws
   *  QueueFull. */
  run<T>(work: () => Promise<T>, priority?: number): Promise<T>
}

/** Limits concurrent work to `slots`. `maxWaiting`: the maximum length of each priority's queue. */
export function createSemaphore(
  slots: number,
  { priorities = 1, maxWaiting = Number.POSITIVE_INFINITY }: { priorities?: number; maxWaiting?: number } = {},
): Semaphore {
  const queues = Array.from({ length: priorities }, (): (() => void)[] => [])
  let free = slots

  async function enter(queue: (() => void)[]): Promise<void> {
    if (free > 0) {
      free--
      return
    }
    if (queue.length >= maxWaiting) throw new QueueFull()
    await new Promise<void>((resolve) => queue.push(resolve)) // finished work passes its slot on
  }

  function leave(): void {
    const next = queues.find((queue) => queue.length > 0)?.shift()
    if (next) next()
    else free++
  }

  return {
    async run(work, priority = 0) {
      await enter(queues[priority]!)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

/** Runs a task at regular intervals, but never twice at the same time. If a run fails, `onFailure` is called with the
 *  error, and later runs are not affected. Does not keep the process alive. */
export function repeat(
  intervalMs: number,
  task: () => Promise<unknown>,
  onFailure: (error: Error) => void = () => {},
): { stop(): void } {
  let isRunning = false
  const timer = setInterval(async () => {
    if (isRunning) return
    isRunning = true
    await task().catch(onFailure)
    isRunning = false
  }, intervalMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
