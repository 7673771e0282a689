// The summary of a tenant, for its home page and the overview of the installation.

import type { Database } from '../../database/database.ts'
import type { Resources } from '../../resources/resource.ts'
import { type BranchSummary, type BranchSummaryRequest, summarizeBranch } from '../../resources/summary/branch.ts'
import { type Summary, type SummaryRequest, summarize } from '../../resources/summary/summary.ts'
import type { Operations } from './operation.ts'

/** `version`: identifies the state of the tenant's records. `latestAt`: the time of the latest change; null if there is none.
 *  `summary`: null if the caller knows it. */
export type VersionedSummary = { version: string; latestAt: string | null; summary: Summary | null }

export const summaryOperations = {
  summary: { writes: false, isScan: true, needsSnapshot: true, run: readSummary },
  branchSummary: { writes: false, isScan: true, run: readBranchSummary },
} as const satisfies Operations

/** Every change is in the history, so the latest entry identifies the state of all records. */
async function readSummary(
  database: Database,
  resources: Resources,
  { knownVersion, ...request }: SummaryRequest & { knownVersion: string | null },
): Promise<VersionedSummary> {
  const latest = await database.get('select seq, at, change_set from changes order by seq desc limit 1')
  const version = latest ? `${latest.seq} ${latest.at} ${latest.change_set}` : ''
  const summary = version === knownVersion ? null : await summarize(database, resources, request)
  return { version, latestAt: (latest?.at ?? null) as string | null, summary }
}

function readBranchSummary(
  database: Database,
  _resources: Resources,
  request: BranchSummaryRequest,
): Promise<BranchSummary> {
  return summarizeBranch(database, request)
}
