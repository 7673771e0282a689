// Closes a branch: its people move to another branch with what they hold, its stock goes to the stock of that branch, and it
// becomes inactive, as do its storage locations.

import type { Awaitable, Database } from '../../database/database.ts'
import { Problem } from '../../problem.ts'
import { customers } from '../declarations/customers.ts'
import { employees } from '../declarations/employees.ts'
import { hardware } from '../declarations/hardware.ts'
import type { ChangeContext } from '../records/changes.ts'
import { changeRecord } from '../records/records.ts'
import { readRecords, type StoredRecord } from '../records/target.ts'
import type { Resource } from '../resource.ts'
import type { Values } from '../validate.ts'
import { findOrCreateStock } from '../verbs/stock.ts'
import { type BranchContents, countContents, haveChanged, readContents } from './contents.ts'

/** `target`: where everything goes. `seen`: what the user has seen of the branch, after the change `seq`. */
export type Closing = { branch: number; target: number; seen: Omit<BranchContents, 'places'> & { seq: number } }

/** Records per statement that reads them. */
const pageSize = 50

/** Throws `invalid_customer` if there is no such target, or it is closed too, `not_found`, and `precondition_failed` if the branch
 *  is no longer what the user has seen: all of it before the first write. */
export async function closeBranch(
  database: Database,
  { branch, target, seen }: Closing,
  context: ChangeContext,
  pause: () => Awaitable<void>,
): Promise<BranchContents> {
  const found = new Map((await readRecords(database, customers, [branch, target])).map((each) => [each.id, each]))
  const closing = found.get(branch)
  if (!closing) throw new Problem('not_found')
  if (branch === target || !found.get(target)?.is_active) throw new Problem('invalid_customer')
  const contents = await countContents(database, branch)
  const isAsSeen = contents.people === seen.people && contents.items === seen.items
  if (!closing.is_active || !isAsSeen || (await haveChanged(database, branch, seen.seq)))
    throw new Problem('precondition_failed')
  const edit = editor(database, branch, context, pause)
  if (contents.items > 0) {
    const stock = await findOrCreateStock(database, target, context)
    await edit('items', hardware, { employee_id: stock })
  }
  await edit('people', employees, { customer_id: target })
  await edit('places', employees, { is_active: false })
  await changeRecord(database, { resource: customers, context }, closing, { is_active: false })
  return contents
}

/** Sets values of everything of one kind that belongs to the branch. */
function editor(database: Database, branch: number, context: ChangeContext, pause: () => Awaitable<void>) {
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
