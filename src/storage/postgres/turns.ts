// How many transactions a tenant may have at work at once: a busy tenant must not hold every connection of the process.

import { Unavailable } from '../../database.ts'

export type Turns = {
  /** Does the work of a tenant when it is its turn. Throws Unavailable when that does not come in time. */
  take<T>(tenant: string, work: () => Promise<T>): Promise<T>
}

type Queue = { active: number; waiting: (() => void)[] }

/** `atOnce`: of one tenant. `within`: how long one waits for a turn, in milliseconds. */
export function openTurns(atOnce: number, within: number): Turns {
  const queues = new Map<string, Queue>() // of tenants at work; none for those that sleep

  async function enter(queue: Queue): Promise<void> {
    if (queue.active < atOnce) {
      queue.active++
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    queue.waiting.push(resolve)
    const timer = setTimeout(() => {
      queue.waiting.splice(queue.waiting.indexOf(resolve), 1)
      reject(new Unavailable('too many transactions of this tenant are at work'))
    }, within)
    await promise // whoever leaves hands its turn over
    clearTimeout(timer)
  }

  function leave(tenant: string, queue: Queue): void {
    const next = queue.waiting.shift()
    if (next) next()
    else if (--queue.active === 0) queues.delete(tenant)
  }

  return {
    async take(tenant, work) {
      const queue = queues.get(tenant) ?? { active: 0, waiting: [] }
      queues.set(tenant, queue)
      await enter(queue)
      try {
        return await work()
      } finally {
        leave(tenant, queue)
      }
    },
  }
}
