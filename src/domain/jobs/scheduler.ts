import type { TenantLocation } from '../../engine/tenant-databases.ts'

/** Ensures that jobs run. */
export type JobScheduler = {
  /** Calls `work`, which creates jobs or makes them due. Ensures that these jobs run soon afterwards, even if this
   *  process crashes. */
  schedule<T>(tenant: TenantLocation, work: () => Promise<T>): Promise<T>
}
