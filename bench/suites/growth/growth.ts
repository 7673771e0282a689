// How cost grows: with the records of a tenant, and with the tenants of a node.

import { mkdirSync } from 'node:fs'
import type { Effort, Outcome } from '../../harness/measure.ts'
import { measureRows } from './records.ts'
import { measureTenants, type TenantsOutcome } from './tenants.ts'

/** The contenders of an outcome are sizes. */
export type GrowthOutcome = { rows: Outcome[]; tenants: TenantsOutcome }

export async function measureGrowth(directory: string, effort: Effort): Promise<GrowthOutcome> {
  mkdirSync(directory)
  const sizes = effort.isCheck ? [1000, 10_000] : [1000, 10_000, 100_000, 1_000_000]
  const counts = effort.isCheck ? [10, 100] : [10, 100, 1000, 10_000]
  return {
    rows: await measureRows(directory, sizes, effort),
    tenants: await measureTenants(directory, counts, effort),
  }
}
