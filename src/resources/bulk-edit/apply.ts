// Carries out a planned bulk edit.

import type { Database } from '../../database/database.ts'
import { Problem } from '../../problem.ts'
import type { ChangeContext } from '../records/changes.ts'
import { changeRecord, deleteRecord } from '../records/records.ts'
import type { WritePrecondition } from '../records/target.ts'
import { byId, type Resources, resourceNamed } from '../resource.ts'
import { findOrCreateStock } from '../verbs/stock.ts'
import { type BulkEdit, isChanged, type PlannedEdit } from './bulk-edit.ts'

/** The plan was made in the same transaction, so that nothing can have come in between. */
const none: WritePrecondition = { sql: 'true', values: [], require: async () => {} }

/** Applies the edits one by one and yields what became of each: as planned, or refused because of other edits of this change. */
export async function* applyEdits(
  database: Database,
  resources: Resources,
  edit: BulkEdit,
  planned: readonly PlannedEdit[],
  context: ChangeContext,
): AsyncGenerator<PlannedEdit> {
  const resource = resourceNamed(resources, edit.resource)
  for (const each of planned) {
    if (!isChanged(each)) {
      yield each
      continue
    }
    const { id, record } = each
    try {
      if (edit.action === 'delete') {
        await deleteRecord(database, { resource, resources, context, precondition: none, key: byId(id) })
      } else await changeRecord(database, { resource, context }, record, await settle(database, each, context))
      yield each
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      yield { id, outcome: 'refused', record, reason: 'in_use' }
    }
  }
}

/** The values with the stock to which the item goes. */
async function settle(
  database: Database,
  { values, stockOf }: PlannedEdit & { outcome: 'changed' },
  context: ChangeContext,
) {
  if (stockOf === undefined) return values
  return { ...values, employee_id: await findOrCreateStock(database, stockOf, context) }
}
