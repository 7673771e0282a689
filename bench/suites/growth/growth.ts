// Measures how cost grows with the number of a tenant's records, and with the number of tenants on a node.

import { mkdirSync } from 'node:fs'
import type { Effort } from '../../harness/measure.ts'
import type { Row } from '../../harness/rows.ts'
import { measureRecords } from './records.ts'
import { measureTenants, type TenantsOutcome } from './tenants.ts'

/** Each number of records, and each number of tenants, is measured as a separate contender. */
export type GrowthOutcome = { records: Row[]; tenants: TenantsOutcome }

export async function measureGrowth(directory: string, effort: Effort): Promise<GrowthOutcome> {
  mkdirSync(directory)
  const sizes = effort.isCheck ? [1000, 10_000] : [1000, 10_000, 100_000, 1_000_000]
  const counts = effort.isCheck ? [10, 100] : [10, 100, 1000, 10_000]
  return {
    records: await measureRecords(directory, sizes, effort),
    tenants: await measureTenants(directory, counts, effort),
  }
}
