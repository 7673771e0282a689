/** The queue for this priority is full. */
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
