// Closes a branch. People who are active or hold equipment move to a different branch and keep their equipment.
// Equipment in the closed branch's stock moves to the other branch's stock. Records of other resources that refer to
// the branch then refer to the other one. The closed branch and its storage locations become inactive.

import type { Database } from '../../../engine/database/database.ts'
import { Problem } from '../../../problem.ts'
import { customers } from '../../declarations/customers.ts'
import type { Values } from '../../fields/validate.ts'
import { findRecordsByIds, type OngoingChange, type StoredRecord } from '../../records/changes.ts'
import { changeRecord } from '../../records/records.ts'
import { findOrCreateStock } from '../stock.ts'
import {
  type BranchContents,
  type BranchPart,
  branchParts,
  countContents,
  hasBranchChanged,
  otherParts,
  readContents,
} from './contents.ts'

/** `target`: the branch that receives everything. `seen`: the contents that the user saw, and the number of the newest
 *  change at that time (`seq`). `others`: how many records of other resources there were. */
export type Closing = {
  branch: number
  target: number
  seen: { people: number; items: number; others: number; seq: number }
}

/** How many records one statement reads. */
const pageSize = 50

/** All errors are thrown before the first write. `not_found`: the branch does not exist. `invalid_customer`: the target
 *  does not exist, is closed or is the same branch. `precondition_failed`: the branch is already closed or has changed
 *  since the user saw it. */
export async function closeBranch(
  database: Database,
  { branch, target, seen }: Closing,
  change: OngoingChange,
): Promise<BranchContents> {
  const { resources, context } = change
  const branches = await findRecordsByIds(database, customers, [branch, target])
  const closing = branches.get(branch)
  if (!closing) throw new Problem('not_found')
  if (branch === target || !branches.get(target)?.is_active) throw new Problem('invalid_customer')
  const contents = await countContents(database, resources, branch)
  const isAsSeen =
    contents.people === seen.people && contents.items === seen.items && countOthers(contents) === seen.others
  if (!closing.is_active || !isAsSeen || (await hasBranchChanged(database, resources, branch, seen.seq)))
    throw new Problem('precondition_failed')
  const { items, people, places } = branchParts(branch)
  if (contents.items > 0)
    await editPart(database, items, { employee_id: await findOrCreateStock(database, target, context) }, change)
  await editPart(database, people, { customer_id: target }, change)
  for (const other of otherParts(resources, branch)) await editPart(database, other, { [other.field]: target }, change)
  await editPart(database, places, { is_active: false }, change)
  await changeRecord(database, { resource: customers, context }, closing, { is_active: false })
  return contents
}

export function countOthers({ others }: BranchContents): number {
  return Object.values(others).reduce((sum, count) => sum + count, 0)
}

/** Sets values in every record of one part of the branch. */
async function editPart(
  database: Database,
  part: BranchPart,
  values: Values,
  { context, pause }: OngoingChange,
): Promise<void> {
  for (let page: StoredRecord[] = [], after = 0; ; after = page.at(-1)!.id) {
    page = await readContents(database, part, { after, limit: pageSize })
    for (const record of page) {
      await changeRecord(database, { resource: part.resource, context }, record, values)
      await pause()
    }
    if (page.length < pageSize) return
  }
}
