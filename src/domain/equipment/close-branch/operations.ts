// The operations behind the panel page that closes a branch.

import type { Database } from '../../../engine/database/database.ts'
import { unboundedMutation } from '../../../engine/mutation.ts'
import { defineOperations } from '../../../engine/operation.ts'
import type { StoredResponse } from '../../../engine/responses/stored-response.ts'
import { latestSeq } from '../../history/positions.ts'
import type { OngoingChange } from '../../records/changes.ts'
import type { StoredRecord } from '../../records/target.ts'
import { type Closing, closeBranch } from './close-branch.ts'
import { type BranchContents, countContents, readContents } from './contents.ts'

/** What closing a branch would move, with the first people and items. `seq`: the number of the newest change when the
 *  preview was made. */
export type ClosingPreview = BranchContents & { seq: number; firstPeople: StoredRecord[]; firstItems: StoredRecord[] }

export const closeBranchOperations = defineOperations({
  previewClosing: { writes: false, needsSnapshot: true, run: previewClosing },
  closeBranch: { ...unboundedMutation(close), isLong: true },
})

/** The preview shows at most this many people and this many items. */
const shownRecords = 20

async function previewClosing(database: Database, { branch }: { branch: number }): Promise<ClosingPreview> {
  const page = { after: 0, limit: shownRecords }
  return {
    ...(await countContents(database, branch)),
    seq: await latestSeq(database),
    firstPeople: await readContents(database, 'people', branch, page),
    firstItems: await readContents(database, 'items', branch, page),
  }
}

async function close(database: Database, closing: Closing, { context, pause }: OngoingChange): Promise<StoredResponse> {
  const { people, items } = await closeBranch(database, closing, context, pause)
  const body = JSON.stringify({ people, items, change_set: context.changeSet })
  return { status: 200, body, location: null, changeSet: context.changeSet }
}
