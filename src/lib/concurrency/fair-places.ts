// Limits how much work runs at the same time, in total and for each tenant.

import { createFairQueue } from './fair-queue.ts'

/** No place became free in time. */
export class NoPlace extends Error {}

export type FairPlaces = {
  /** Runs `work` as soon as a place is free. Waiting tenants take turns. Throws NoPlace. */
  run<T>(tenant: string, work: () => Promise<T>): Promise<T>
}

export function createFairPlaces(limits: { perTenant: number; total: number; maxWaitMs: number }): FairPlaces {
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
      reject(new NoPlace()) // has no effect if the place was just given
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
