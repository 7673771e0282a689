import type { TenantLocation } from '../storage.ts'

/** Starts jobs, and the work on them. */
export type JobScheduler = {
  /** Runs work that creates jobs, or makes them due, and then starts them. Whatever happens afterwards, they will run. */
  schedule<T>(tenant: TenantLocation, work: () => Promise<T>): Promise<T>
}
