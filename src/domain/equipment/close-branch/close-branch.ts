// Closes a branch. People who are active or hold equipment move to a different branch and keep their equipment.
// Equipment in the closed branch's stock moves to the other branch's stock. The closed branch and its storage locations
// become inactive.

import type { Awaitable, Database } from '../../../engine/database/database.ts'
import { Problem } from '../../../problem.ts'
import { customers } from '../../declarations/customers.ts'
import { employees } from '../../declarations/employees.ts'
import { hardware } from '../../declarations/hardware.ts'
import type { Resource } from '../../declarations/resource.ts'
import type { Values } from '../../fields/validate.ts'
import type { ChangeContext } from '../../records/changes.ts'
import { findRecordsByIds } from '../../records/find-by-ids.ts'
import { changeRecord } from '../../records/records.ts'
import type { StoredRecord } from '../../records/target.ts'
import { findOrCreateStock } from '../stock.ts'
import { type BranchContents, countContents, hasBranchChanged, readContents } from './contents.ts'

/** `target`: the branch that receives everything. `seen`: the contents that the user saw, and the number of the newest
 *  change at that time (`seq`). */
export type Closing = { branch: number; target: number; seen: Omit<BranchContents, 'places'> & { seq: number } }

/** How many records one statement reads. */
const pageSize = 50

/** All errors are thrown before the first write. `not_found`: the branch does not exist. `invalid_customer`: the target
 *  does not exist, is closed or is the same branch. `precondition_failed`: the branch is already closed or has changed
 *  since the user saw it. */
export async function closeBranch(
  database: Database,
  { branch, target, seen }: Closing,
  context: ChangeContext,
  pause: () => Awaitable<void>,
): Promise<BranchContents> {
  const found = await findRecordsByIds(database, customers, [branch, target])
  const closing = found.get(branch)
  if (!closing) throw new Problem('not_found')
  if (branch === target || !found.get(target)?.is_active) throw new Problem('invalid_customer')
  const contents = await countContents(database, branch)
  const isAsSeen = contents.people === seen.people && contents.items === seen.items
  if (!closing.is_active || !isAsSeen || (await hasBranchChanged(database, branch, seen.seq)))
    throw new Problem('precondition_failed')
  const edit = partEditor(database, branch, context, pause)
  if (contents.items > 0) {
    const stock = await findOrCreateStock(database, target, context)
    await edit('items', hardware, { employee_id: stock })
  }
  await edit('people', employees, { customer_id: target })
  await edit('places', employees, { is_active: false })
  await changeRecord(database, { resource: customers, context }, closing, { is_active: false })
  return contents
}

/** Returns a function that sets values in every record of one part of the branch. */
function partEditor(database: Database, branch: number, context: ChangeContext, pause: () => Awaitable<void>) {
  return async (part: keyof BranchContents, resource: Resource, values: Values): Promise<void> => {
    for (let page: StoredRecord[] = [], after = 0; ; after = page.at(-1)!.id) {
      page = await readContents(database, part, branch, { after, limit: pageSize })
      for (const record of page) {
        await changeRecord(database, { resource, context }, record, values)
        await pause()
      }
      if (page.length < pageSize) return
    }
  }
}
