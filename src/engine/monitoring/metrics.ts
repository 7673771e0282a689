// The events that the storage reports for metrics.

export type StorageMetrics = {
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
export const noMetrics: StorageMetrics = {
  committed() {},
  rejected() {},
  opened() {},
  evicted() {},
  migrated() {},
}
