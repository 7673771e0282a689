// Applies a planned bulk edit.

import type { Database } from '../../engine/database/database.ts'
import { Problem } from '../../problem.ts'
import { byId, type Resources, resourceNamed } from '../declarations/resource.ts'
import { findOrCreateStock } from '../equipment/stock.ts'
import type { ChangeContext } from '../records/changes.ts'
import { changeRecord, deleteRecord } from '../records/records.ts'
import { type BulkEdit, isChanged, type PlannedEdit } from './bulk-edit.ts'

/** Applies the edits one by one and yields the outcome of each. An edit that an earlier edit has made impossible is
 *  refused. The plan must have been made in the same transaction. */
export async function* applyEdits(
  database: Database,
  edit: BulkEdit,
  planned: readonly PlannedEdit[],
  { resources, context }: { resources: Resources; context: ChangeContext },
): AsyncGenerator<PlannedEdit> {
  const resource = resourceNamed(resources, edit.resource)
  for (const plannedEdit of planned) {
    if (!isChanged(plannedEdit)) {
      yield plannedEdit
      continue
    }
    const { id, record } = plannedEdit
    try {
      if (edit.action === 'delete') {
        await deleteRecord(database, { resource, resources, context, key: byId(id) })
      } else
        await changeRecord(
          database,
          { resource, context },
          record,
          await valuesWithStock(database, plannedEdit, context),
        )
      yield plannedEdit
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      yield { id, outcome: 'refused', record, reason: 'in_use' }
    }
  }
}

/** Returns the values to write. If the item goes to a branch's stock, they make the branch's stock location the item's
 *  holder. If the branch has no stock location, one is created. */
async function valuesWithStock(
  database: Database,
  { values, stockOf }: PlannedEdit & { outcome: 'changed' },
  context: ChangeContext,
) {
  if (stockOf === undefined) return values
  return { ...values, employee_id: await findOrCreateStock(database, stockOf, context) }
}
