// Creates the stock of a branch that has none (contract §14).

import type { Database } from '../../engine/database/database.ts'
import { Problem } from '../../problem.ts'
import { employees } from '../declarations/employees.ts'
import { type Values, validateNew } from '../fields/validate.ts'
import { type ChangeContext, newChangeSet } from './changes.ts'
import { insertWithHistory } from './insert.ts'

/** What happens if a record goes into the stock of a branch that has none. `forbidden`: the request is refused, because
 *  the caller may not create employees. `separate`: the stock is created in a separate change set, because undoing the
 *  request would otherwise fail as soon as other equipment is in stock. If absent, the stock is created in the same
 *  change set (contract §14). */
export type StockCreation = 'forbidden' | 'separate'

/** `needScope`: notes a scope that the change needs, which was not known before. */
export type StockChange = {
  context: ChangeContext
  stockCreation?: StockCreation | undefined
  needScope?: (scope: string) => void
}

/** Creates a branch's stock with these values and returns its id. Call this after all checks, because a request must not
 *  be refused after its first write. Throws `forbidden`. */
export async function createStock(
  database: Database,
  { context, stockCreation, needScope }: StockChange,
  stock: Values,
): Promise<number> {
  const scope = `${employees.name}:create`
  if (stockCreation === 'forbidden') {
    const message = 'The customer has no stock yet, and this API key may not create employees.'
    throw new Problem('forbidden', { message, missingScopes: [scope] })
  }
  needScope?.(scope)
  const { values } = validateNew(employees, stock)
  const changeSet = stockCreation === 'separate' ? newChangeSet(new Date(context.now)) : context.changeSet
  const creation = { resource: employees, context: { ...context, changeSet } }
  return (await insertWithHistory(database, creation, values)).id
}
