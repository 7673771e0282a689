// The bulk-edit operations: select records, preview an edit, and apply it in one transaction.

import type { Database } from '../../engine/database/database.ts'
import { mutation, type OngoingChange } from '../../engine/mutation.ts'
import type { Operations } from '../../engine/operation.ts'
import type { StoredResponse } from '../../engine/responses/stored-response.ts'
import { type Resources, resourceNamed } from '../declarations/resource.ts'
import { latestSeq } from '../history/as-of.ts'
import { listRecords } from '../lists/page.ts'
import type { ListQuery, Position } from '../lists/query.ts'
import { applyEdits } from './apply.ts'
import {
  type BulkEdit,
  countOutcomes,
  type EditCounts,
  isChanged,
  isRefused,
  type PlannedEdit,
  type RefusalReason,
} from './bulk-edit.ts'
import { planEdits } from './plan.ts'

/** The ids of the records on a list page. `seq`: the number of the newest change before the ids were read. */
export type SelectedIds = { ids: number[]; next: Position | null; seq: number }

/** The records to edit. `seq`: the number of the newest change when the user saw the records. */
export type EditTarget = { edit: BulkEdit; ids: number[]; seq: number }

/** What an edit would do. `changed`: the first records that the edit would change. `refused`: the first records that
 *  the edit cannot change. */
export type EditPreview = {
  seq: number
  counts: EditCounts
  changed: (PlannedEdit & { outcome: 'changed' })[]
  refused: (PlannedEdit & { outcome: 'refused' })[]
}

/** What an edit has done. `reasons`: for each reason, the number of records that could not be changed for that
 *  reason. */
export type EditResult = EditCounts & {
  reasons: Partial<Record<RefusalReason, number>>
  change_set: string | null
}

export const bulkEditOperations = {
  selectIds: { writes: false, isScan: true, run: selectIds },
  previewBulkEdit: { writes: false, needsSnapshot: true, run: previewBulkEdit },
  applyBulkEdit: { ...mutation(applyBulkEdit), isLong: true },
} as const satisfies Operations

async function selectIds(
  database: Database,
  resources: Resources,
  { query, ...input }: { resource: string; query: ListQuery },
): Promise<SelectedIds> {
  const resource = resourceNamed(resources, input.resource)
  const seq = await latestSeq(database)
  const { records, next } = await listRecords({ database, resource, resources, query })
  return { ids: records.map((json) => JSON.parse(json).id), next, seq }
}

/** A preview shows at most this many records. */
const shownRecords = 50

/** How many records are planned together. */
const planSize = 50

/** Plans the edit for the current state. In the result, `seq` is the number of the newest change in that state. */
async function previewBulkEdit(
  database: Database,
  resources: Resources,
  { edit, ids }: Omit<EditTarget, 'seq'>,
): Promise<EditPreview> {
  const seq = await latestSeq(database)
  const planned: PlannedEdit[] = []
  for (let start = 0; start < ids.length; start += planSize)
    planned.push(...(await planEdits(database, resources, edit, { ids: ids.slice(start, start + planSize), seq })))
  return {
    seq,
    counts: countOutcomes(planned),
    changed: planned.filter(isChanged).slice(0, shownRecords),
    refused: planned.filter(isRefused).slice(0, shownRecords),
  }
}

/** Skips records that cannot be changed, or that have changed since the preview. */
async function applyBulkEdit(
  database: Database,
  { edit, ids, seq }: EditTarget,
  { resources, context, pause }: OngoingChange,
): Promise<StoredResponse> {
  const results: PlannedEdit[] = []
  for (let start = 0; start < ids.length; start += planSize) {
    const planned = await planEdits(database, resources, edit, { ids: ids.slice(start, start + planSize), seq })
    for await (const result of applyEdits(database, edit, planned, { resources, context })) {
      results.push(result)
      await pause()
    }
  }
  const reasons: EditResult['reasons'] = {}
  for (const { reason } of results.filter(isRefused)) reasons[reason] = (reasons[reason] ?? 0) + 1
  const counts = countOutcomes(results)
  const changeSet = counts.changed > 0 ? context.changeSet : null
  const body: EditResult = { ...counts, reasons, change_set: changeSet }
  return { status: 200, body: JSON.stringify(body), location: null, changeSet }
}
