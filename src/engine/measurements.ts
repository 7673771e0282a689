// What the engine measures: the events that it reports for metrics, and how long a request's operations wait in queues
// and run in databases.

import { AsyncLocalStorage } from 'node:async_hooks'

export type EngineMetrics = {
  /** The embedded engine committed a transaction of this many operations. */
  committed(operations: number, milliseconds: number): void
  /** A request was rejected with Busy. */
  rejected(reason: 'tenant' | 'process' | 'bodies' | 'queue'): void
  /** A thread now has this many tenant files open. */
  opened(thread: number, files: number): void
  /** Files were closed to make room for others. */
  evicted(files: number): void
  /** A tenant's migration succeeded or failed. */
  migrated(hasSucceeded: boolean): void
}

/** For commands, which do not report metrics. */
export const noMetrics: EngineMetrics = {
  committed() {},
  rejected() {},
  opened() {},
  evicted() {},
  migrated() {},
}

/** How long a request's operations have waited in queues so far, and how long they have run. */
export type RequestTimes = { queueMs: number; databaseMs: number }

const requests = new AsyncLocalStorage<RequestTimes>()

export function measureOperations<T>(times: RequestTimes, work: () => T): T {
  return requests.run(times, work)
}

/** Called when an operation has ended: `databaseMs` of the time since `measureOperation` was spent in the database. */
export type EndMeasurement = (databaseMs: number) => void

/** Measures an operation that is queued now. Returns undefined if its request is not being measured. */
export function measureOperation(): EndMeasurement | undefined {
  const times = requests.getStore()
  if (!times) return undefined
  const queuedAt = performance.now()
  return (databaseMs) => {
    times.databaseMs += databaseMs
    times.queueMs += Math.max(0, performance.now() - queuedAt - databaseMs)
  }
}
