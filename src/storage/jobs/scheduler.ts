import type { TenantLocation } from '../storage.ts'

/** Ensures that jobs run. */
export type JobScheduler = {
  /** Calls `work`, which creates jobs or makes them due, and runs these jobs soon afterwards, even if this process
   *  crashes. */
  schedule<T>(tenant: TenantLocation, work: () => Promise<T>): Promise<T>
}
