// Holds the tasks of tenants whose file another process has locked for a moment, as a command does when it opens or closes
// the file. The other tenants of the thread continue in the meantime.

import type { Task } from '../threads/messages.ts'

/** The time between two attempts. An attempt waits up to 50 ms for the lock, and the thread's other tenants with it. */
const pauseMs = 100

/** On a busy machine, a process may have to wait for the processor or the disk while it has a file locked. */
const patienceMs = 1000

export type LockQueue = {
  /** The held tasks, by tenant. */
  readonly held: ReadonlyMap<string, Task[]>
  /** For each file that must be retried: when it was first found locked. */
  readonly lockedSince: ReadonlyMap<string, number>
  /** Holds the tasks until the next attempt. Returns false if the file has been locked for too long. */
  hold(tenant: string, tasks: Task[]): boolean
  /** The last attempt succeeded, or failed for good. */
  end(tenant: string): void
}

/** `onRetry` receives a tenant's tasks for the next attempt, in their order. */
export function createLockQueue(onRetry: (tenant: string, tasks: Task[]) => void): LockQueue {
  const held = new Map<string, Task[]>()
  const lockedSince = new Map<string, number>()

  function retry(tenant: string): void {
    const tasks = held.get(tenant)!
    held.delete(tenant)
    onRetry(tenant, tasks)
  }

  return {
    held,
    lockedSince,
    hold(tenant, tasks) {
      const now = performance.now()
      const since = lockedSince.get(tenant) ?? now
      if (now - since > patienceMs) return false
      lockedSince.set(tenant, since)
      const earlier = held.get(tenant)
      if (!earlier) setTimeout(retry, pauseMs, tenant)
      held.set(tenant, [...(earlier ?? []), ...tasks])
      return true
    },
    end: (tenant) => void lockedSince.delete(tenant),
  }
}
