import type { TenantLocation } from '../storage.ts'

/** Ensures that jobs run. */
export type JobScheduler = {
  /** Calls `work`, which creates jobs or makes them due, and then runs them soon. They run even if this process
   *  crashes. */
  schedule<T>(tenant: TenantLocation, work: () => Promise<T>): Promise<T>
}
