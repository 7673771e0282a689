// Applies a request so that a refused one changes nothing.

import { Problem } from '../problem.ts'
import type { Database } from './database/database.ts'
import { type Refusal, refusal } from './responses/refusal.ts'
import type { StoredResponse } from './responses/stored-response.ts'
import type { TrackedDatabase } from './track-writes.ts'

export type Outcome = Pick<Refusal, 'response' | 'isStored'>

type Apply = (database: Database) => Promise<StoredResponse>

/** If `apply` refuses the request, rolls back everything that it wrote. The caller's transaction may contain other
 *  operations, which are kept. */
export async function applyOrRollBack(database: Database, apply: Apply): Promise<Outcome> {
  database.runDeferred('savepoint mutation')
  const outcome = await attempt(() => apply(database))
  if (isFailure(outcome)) await database.run('rollback to savepoint mutation')
  database.runDeferred('release savepoint mutation')
  return outcome
}

/** Throws an ordinary error, which rolls back the transaction, if `apply` refuses the request after it wrote. */
export async function applyOrFail({ database, hasWritten }: TrackedDatabase, apply: Apply): Promise<Outcome> {
  const outcome = await attempt(() => apply(database))
  if (isFailure(outcome) && hasWritten()) throw new Error('an operation refused its request after it had written')
  return outcome
}

/** Calls `apply`, and catches any Problem that it throws. */
async function attempt(apply: () => Promise<StoredResponse>): Promise<Outcome> {
  try {
    return { response: await apply(), isStored: true }
  } catch (error) {
    if (error instanceof Problem) return refusal(error)
    throw error
  }
}

function isFailure({ response }: Outcome): boolean {
  return response.status >= 400
}
