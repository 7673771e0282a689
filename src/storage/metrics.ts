// What engines tell of their work, for those who watch over a server.

export type StorageMetrics = {
  /** A commit of the embedded engine: so many operations shared it. */
  committed(operations: number, milliseconds: number): void
  /** One more request was refused with Busy. */
  refused(limit: 'tenant' | 'process' | 'bodies' | 'queue'): void
  /** Tenant files that a thread has open. */
  opened(thread: number, files: number): void
  /** Files that were closed to make room for others. */
  evicted(files: number): void
  /** Of one tenant. */
  migrated(isDone: boolean): void
}

/** For commands, of which nobody asks. */
export const noMetrics: StorageMetrics = {
  committed() {},
  refused() {},
  opened() {},
  evicted() {},
  migrated() {},
}
