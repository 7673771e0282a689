// The operations that summarize a tenant (for its home page and the installation overview), a branch or a holder.

import type { Database } from '../../engine/database/database.ts'
import { defineOperations } from '../../engine/operation.ts'
import type { Declared } from '../declarations/resource.ts'
import { startSeq } from '../history/positions.ts'
import { sumOf } from '../lists/counts.ts'
import { type Summary, type SummaryRequest, summarize } from './summary.ts'

/** `seq`: the number of the tenant's latest change, 0 if there is none. `version`: identifies that change, and thus the
 *  state of all records. `latestAt`: the time of that change. */
export type VersionedSummary = { seq: number; version: string; latestAt: string | null; summary: Summary }

/** The latest summary that the caller has. */
export type KnownSummary = Omit<VersionedSummary, 'latestAt'>

export const summaryOperations = defineOperations({
  summary: { writes: false, isScan: true, needsSnapshot: true, run: readSummary },
  branchSummary: { writes: false, isScan: true, run: summarizeBranch },
  holderSummary: { writes: false, isScan: true, run: summarizeHolder },
})

/** Every change is in the history. The latest entry therefore identifies the state of all records, and the entries
 *  since the known summary show what has changed. Returns a null `summary` if the known summary is up to date. */
async function readSummary(
  database: Database,
  { known, ...request }: SummaryRequest & { known: KnownSummary | null },
  { resources }: Declared,
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

/** `people`: the people who work there now. `spare`: assets with the status `spare`. `warranties`: assets, except lost and retired
 *  ones, whose warranty ends in the requested period. `cost`: the sum of the purchase costs. */
export type BranchSummary = { people: number; assets: number; spare: number; warranties: number; cost: number }

/** `today`: the day on which people work there, and on which the period begins for ending warranties. */
export type BranchSummaryRequest = { id: number; today: string; warrantyTo: string; timeoutMs: number }

/** Summarizes a branch: its people, and the assets that these people and the branch's storage locations hold. Reads
 *  only the branch's records, through the reference indexes. Throws TooSlow. */
async function summarizeBranch(database: Database, request: BranchSummaryRequest): Promise<BranchSummary> {
  const { id, today, warrantyTo, timeoutMs } = request
  database.setBudget(timeoutMs)
  const people = await database.get<Pick<BranchSummary, 'people'>>(
    `select count(*) as people from employees
     where customer_id = ? and kind = 'person' and is_active = ? and (end_date is null or end_date >= ?)`,
    [id, true, today],
  )
  const sql = `
    select count(*) as assets, ${sumOf(database.engine, 'hardware.purchase_cost')} as cost,
      coalesce(sum(case when hardware.status = 'spare' then 1 else 0 end), 0) as spare,
      coalesce(sum(case when hardware.warranty_end between ? and ? and hardware.status not in ('lost', 'retired')
        then 1 else 0 end), 0) as warranties
    from employees join hardware on hardware.employee_id = employees.id
    where employees.customer_id = ?`
  const items = await database.get<Omit<BranchSummary, 'people'>>(sql, [today, warrantyTo, id])
  return { ...people!, ...items!, cost: Number(items!.cost) } // PostgreSQL returns a sum of bigints as text
}

export type HolderSummary = { assets: number; cost: number }

/** Summarizes what a person or storage location holds: the number of assets, and the sum of their purchase costs. Reads
 *  only the holder's assets. Throws TooSlow. */
async function summarizeHolder(
  database: Database,
  { id, timeoutMs }: { id: number; timeoutMs: number },
): Promise<HolderSummary> {
  database.setBudget(timeoutMs)
  const sql = `select count(*) as assets, ${sumOf(database.engine, 'purchase_cost')} as cost
    from hardware where employee_id = ?`
  const row = await database.get<HolderSummary>(sql, [id])
  return { ...row!, cost: Number(row!.cost) } // as above
}
