// Types for bulk edits, and for the effect of an edit on each record. A bulk edit makes the same change to many records
// of one resource.

import type { VerbAnswers } from '../equipment/apply-verb.ts'
import type { VerbName } from '../equipment/verbs.ts'
import type { Values } from '../fields/validate.ts'
import type { StoredRecord } from '../records/changes.ts'

/** `update` sets the values in each record, and puts it into the stock of the branch `stockOf`. `verb` applies only to hardware; the verb `assign` also reassigns assets
 *  that someone already holds. */
export type BulkEdit = { resource: string } & (
  | { action: 'update'; values: Values; stockOf?: number }
  | { action: 'verb'; verb: VerbName; answers: VerbAnswers }
  | { action: 'delete' }
)

/** Why a record is not changed. `gone`: the record was deleted. `changed_since`: the record has changed since the user
 *  saw it. `unfit`: the verb is not offered in the record's state. `in_use`: other records refer to the record.
 *  `holds_items`: a person who still holds equipment cannot be deactivated. `left`: the person who would receive the
 *  item has left or was deleted. */
const refusalReasons = ['gone', 'changed_since', 'unfit', 'in_use', 'holds_items', 'left'] as const

export type RefusalReason = (typeof refusalReasons)[number]

/** What the edit does to a record. `values`: the fields that change, empty if the record is deleted. `stockOf`: a
 *  branch that has no stock location yet; the edit creates one and puts the item there. */
export type PlannedEdit = { id: number } & (
  | { outcome: 'changed'; record: StoredRecord; values: Values; stockOf?: number }
  | { outcome: 'unchanged'; record: StoredRecord }
  | { outcome: 'refused'; record: StoredRecord | null; reason: RefusalReason }
)

export type PlannedChange = PlannedEdit & { outcome: 'changed' }

export type PlannedRefusal = PlannedEdit & { outcome: 'refused' }

export type EditCounts = Record<PlannedEdit['outcome'], number>

export const noCounts: EditCounts = { changed: 0, unchanged: 0, refused: 0 }

export function countOutcomes(planned: readonly PlannedEdit[], counts: EditCounts = noCounts): EditCounts {
  const sum = { ...counts }
  for (const { outcome } of planned) sum[outcome]++
  return sum
}

export function isRefused(planned: PlannedEdit): planned is PlannedRefusal {
  return planned.outcome === 'refused'
}

export function isChanged(planned: PlannedEdit): planned is PlannedChange {
  return planned.outcome === 'changed'
}
