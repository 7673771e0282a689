// Plans what a verb does to each of many items.

import type { Database } from '../../engine/database/database.ts'
import { employees } from '../declarations/employees.ts'
import { isWithoutEffect } from '../equipment/apply-verb.ts'
import { findLoanOrigins, findStocks, type LoanOrigin } from '../equipment/stock.ts'
import {
  canReceive,
  fieldsSetBy,
  type HolderKind,
  holderKindOf,
  isOffered,
  stateOf,
  type Verb,
  verbs,
} from '../equipment/verbs.ts'
import type { Values } from '../fields/validate.ts'
import { findRecordsByIds } from '../records/find-by-ids.ts'
import type { StoredRecord } from '../records/target.ts'
import type { BulkEdit } from './bulk-edit.ts'

type VerbEdit = BulkEdit & { action: 'verb' }

/** `unfit`: the item's state does not allow the verb. `left`: the person who would receive the item has left or was
 *  deleted. */
type VerbStep = { values: Values; stockOf?: number } | 'unfit' | 'left'

/** Stands for the id of a stock location that does not exist yet. */
const noStockYet = 0

export async function planVerb(
  database: Database,
  { verb: name, answers }: VerbEdit,
  items: readonly StoredRecord[],
): Promise<(item: StoredRecord) => VerbStep> {
  const holders = await findRecordsByIds(database, employees, [
    ...new Set([...items.map((item) => Number(item.employee_id)), ...(answers.person ? [answers.person] : [])]),
  ])
  const { sets }: Verb = verbs[name]
  const choosesOwnStock = sets.holder === 'stock' && answers.branch === undefined
  const origins = choosesOwnStock ? await findLoanOrigins(database, items) : new Map<number, LoanOrigin>()
  const holderOf = (item: StoredRecord) => holders.get(Number(item.employee_id))!
  const branchOf = (item: StoredRecord) =>
    answers.branch ?? origins.get(item.id)?.branch ?? Number(holderOf(item).customer_id)
  const stocks = sets.holder === 'stock' ? await findStocks(database, items.map(branchOf)) : new Map()
  const recipient = answers.person === undefined ? undefined : holders.get(answers.person)

  function nextHolder(item: StoredRecord): { id: number; kind: HolderKind } {
    if (sets.holder === 'stock') {
      return { id: origins.get(item.id)?.stock ?? stocks.get(branchOf(item)) ?? noStockYet, kind: 'storage' }
    }
    const holder = sets.holder === 'person' ? recipient! : holderOf(item)
    return { id: holder.id, kind: holderKindOf(holder) }
  }

  if (sets.holder === 'person' && !(recipient && canReceive(recipient))) return () => 'left'
  return (item) => {
    const state = stateOf(item, holderOf(item))
    const verb = name === 'assign' && state.holder === 'person' ? 'hand_over' : name
    const holder = nextHolder(item)
    const values = fieldsSetBy(verb, state, holder, answers.dueBack ?? null)
    if (!isOffered(verb, state) && !isWithoutEffect(item, values)) return 'unfit'
    return holder.id === noStockYet ? { values, stockOf: branchOf(item) } : { values }
  }
}
