// The operations behind the panel page that closes a branch.

import type { Database } from '../../../engine/database/database.ts'
import { unboundedMutation } from '../../../engine/mutation.ts'
import { defineOperations } from '../../../engine/operation.ts'
import type { StoredResponse } from '../../../engine/responses/stored-response.ts'
import type { Declared } from '../../declarations/resource.ts'
import { latestSeq } from '../../history/positions.ts'
import type { OngoingChange, StoredRecord } from '../../records/changes.ts'
import { type Closing, closeBranch, countOthers } from './close-branch.ts'
import { type BranchContents, branchParts, countContents, otherParts, readContents } from './contents.ts'

/** What closing a branch would move, with the first records of each part. `seq`: the number of the newest change when
 *  the preview was made. */
export type ClosingPreview = BranchContents & {
  seq: number
  firstPeople: StoredRecord[]
  firstItems: StoredRecord[]
  firstOthers: Record<string, StoredRecord[]>
}

export const closeBranchOperations = defineOperations({
  previewClosing: { writes: false, needsSnapshot: true, run: previewClosing },
  closeBranch: { ...unboundedMutation(close), isLong: true },
})

/** The preview shows at most this many records of each part. */
const shownRecords = 20

async function previewClosing(
  database: Database,
  { branch }: { branch: number },
  { resources }: Declared,
): Promise<ClosingPreview> {
  const page = { after: 0, limit: shownRecords }
  const { people, items } = branchParts(branch)
  const firstOthers: Record<string, StoredRecord[]> = {}
  for (const part of otherParts(resources, branch)) {
    const { name } = part.resource
    firstOthers[name] = [...(firstOthers[name] ?? []), ...(await readContents(database, part, page))]
  }
  return {
    ...(await countContents(database, resources, branch)),
    seq: await latestSeq(database),
    firstPeople: await readContents(database, people, page),
    firstItems: await readContents(database, items, page),
    firstOthers,
  }
}

async function close(database: Database, closing: Closing, change: OngoingChange): Promise<StoredResponse> {
  const { changeSet } = change.context
  const contents = await closeBranch(database, closing, change)
  const { people, items, others } = contents
  const body = JSON.stringify({ people, items, ...(countOthers(contents) > 0 && { others }), change_set: changeSet })
  return { status: 200, body, location: null, changeSet }
}
