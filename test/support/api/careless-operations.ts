// Additional operations, used by test/engine/mutation.test.ts, that make every mistake. They write first and decide
// afterwards, and pay no attention to the Idempotency-Key. Every thread loads the operations from this file.

import { emptyValue, resourceNamed } from '../../../src/domain/declarations/resource.ts'
import { createRecord } from '../../../src/domain/records/records.ts'
import type { Database } from '../../../src/engine/database/database.ts'
import { mutation, type OngoingChange, pipelinedMutation, unboundedMutation } from '../../../src/engine/mutation.ts'
import type { Operations } from '../../../src/engine/operation.ts'
import { type StoredResponse, toStoredResponse } from '../../../src/engine/responses/stored-response.ts'
import { Problem } from '../../../src/problem.ts'

/** What the operation does after it has created a customer with this name. `forget`: refuses the request with a problem
 *  that is not stored. `respond`: returns a refusal instead of throwing it. `break`: sends a statement that fails,
 *  and refuses the request without waiting for it. */
export const endings = ['succeed', 'refuse', 'forget', 'respond', 'break'] as const

export type Carelessness = { name: string; ending: (typeof endings)[number] }

export const operations = {
  careless: mutation(createCarelessly),
  carelessAndPipelined: pipelinedMutation(createCarelessly),
  carelessAndUnbounded: { ...unboundedMutation(createCarelessly), isLong: true },
} as const satisfies Operations

async function createCarelessly(
  database: Database,
  { name, ending }: Carelessness,
  { resources, context }: OngoingChange,
): Promise<StoredResponse> {
  const resource = resourceNamed(resources, 'customers')
  const empty = Object.entries(resource.fields).map(([field, declaration]) => [field, emptyValue(declaration)])
  const record = await createRecord(database, { resource, context, values: { ...Object.fromEntries(empty), name } })
  const refused = new Problem('invalid_customer')
  if (ending === 'refuse') throw refused
  if (ending === 'forget') throw new Problem('precondition_failed')
  if (ending === 'respond') return toStoredResponse(refused)
  if (ending === 'break') {
    database.runDeferred('update counters set last = null')
    throw refused
  }
  return { status: 200, body: JSON.stringify({ created: record.id }), location: null, changeSet: context.changeSet }
}
