// The operations that summarize a tenant (for its home page and the installation overview), a branch or a holder.

import type { Database } from '../../engine/database/database.ts'
import { defineOperations } from '../../engine/operation.ts'
import type { Resources } from '../declarations/resource.ts'
import { startSeq } from '../history/positions.ts'
import { type BranchSummary, type BranchSummaryRequest, summarizeBranch } from './branch.ts'
import { type HolderSummary, summarizeHolder } from './holder.ts'
import { type Summary, type SummaryRequest, summarize } from './summary.ts'

/** `seq`: the number of the tenant's latest change, 0 if there is none. `version`: identifies that change, and thus the
 *  state of all records. `latestAt`: the time of that change. */
export type VersionedSummary = { seq: number; version: string; latestAt: string | null; summary: Summary }

/** The latest summary that the caller has. */
export type KnownSummary = Omit<VersionedSummary, 'latestAt'>

export const summaryOperations = defineOperations({
  summary: { writes: false, isScan: true, needsSnapshot: true, run: readSummary },
  branchSummary: { writes: false, isScan: true, run: readBranchSummary },
  holderSummary: { writes: false, isScan: true, run: readHolderSummary },
})

/** Every change is in the history. The latest entry therefore identifies the state of all records, and the entries
 *  since the known summary show what has changed. Returns a null `summary` if the known summary is up to date. */
async function readSummary(
  database: Database,
  { known, ...request }: SummaryRequest & { known: KnownSummary | null },
  { resources }: { resources: Resources },
): Promise<Omit<VersionedSummary, 'summary'> & { summary: Summary | null }> {
  const sql = 'select seq, at, change_set from changes order by seq desc limit 1'
  const latest = await database.get<ChangeRow>(sql)
  const [seq, version] = [Number(latest?.seq ?? 0), versionOf(latest)]
  const state = { seq, version, latestAt: latest?.at ?? null }
  if (known?.version === version) return { ...state, summary: null }
  const isUpdatable = known && (await isInHistory(database, known))
  const earlier = isUpdatable ? { figures: known.summary.assets, after: known.seq, upTo: seq } : undefined
  return { ...state, summary: await summarize(database, resources, request, earlier) }
}

/** Whether the known summary's latest change is still in the history. That change may have been removed after its
 *  retention period. */
async function isInHistory(database: Database, { seq, version }: KnownSummary): Promise<boolean> {
  const sql = `select seq, at, change_set from changes where seq = ? and seq > ${startSeq}`
  return seq > 0 && versionOf(await database.get<ChangeRow>(sql, [seq])) === version
}

type ChangeRow = { seq: number; at: string; change_set: string }

function versionOf(change: ChangeRow | undefined): string {
  return change ? `${change.seq} ${change.at} ${change.change_set}` : ''
}

function readBranchSummary(database: Database, request: BranchSummaryRequest): Promise<BranchSummary> {
  return summarizeBranch(database, request)
}

function readHolderSummary(database: Database, request: { id: number; timeoutMs: number }): Promise<HolderSummary> {
  return summarizeHolder(database, request)
}
