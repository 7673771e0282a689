// The operations that read and remove old history rows in small batches.

import type { Database } from '../../../database/database.ts'
import { historyStart } from '../../../resources/history/start.ts'
import type { Resources } from '../../../resources/resource.ts'
import { listOldChanges, type OldChanges, removeChanges } from '../../../resources/retention/remove-changes.ts'
import type { Operations } from '../operation.ts'

/** `after`: the number of the last change that has been removed so far. `seqs`: the numbers of changes to
 *  remove, in order. */
export type OldChangesPage = { after: number; seqs: number[] }

export const retentionOperations = {
  oldChanges: { writes: false, isScan: true, needsSnapshot: true, run: oldChanges },
  removeChanges: {
    writes: true,
    run: (database: Database, resources: Resources, input: { after: number; upTo: number }) =>
      removeChanges(database, resources, input),
  },
} as const satisfies Operations

async function oldChanges(database: Database, _resources: Resources, input: OldChanges): Promise<OldChangesPage> {
  return { after: (await historyStart(database)).seq, seqs: await listOldChanges(database, input) }
}
