// The operations that read and remove old history rows in small batches.

import type { Database } from '../../../engine/database/database.ts'
import { defineOperations } from '../../../engine/operation.ts'
import type { Resources } from '../../declarations/resource.ts'
import { historyStart } from '../start.ts'
import { listOldChanges, type OldChanges, removeChanges } from './remove-changes.ts'

/** `after`: the number of the last change that has been removed so far. `seqs`: the numbers of changes to
 *  remove, in order. */
export type OldChangesPage = { after: number; seqs: number[] }

export const retentionOperations = defineOperations({
  oldChanges: { writes: false, isScan: true, needsSnapshot: true, run: oldChanges },
  removeChanges: {
    writes: true,
    run: (database: Database, input: { after: number; upTo: number }, { resources }: { resources: Resources }) =>
      removeChanges(database, resources, input),
  },
})

async function oldChanges(database: Database, input: OldChanges): Promise<OldChangesPage> {
  return { after: (await historyStart(database)).seq, seqs: await listOldChanges(database, input) }
}
