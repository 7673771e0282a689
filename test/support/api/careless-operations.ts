// Additional operations, used by test/engine/mutation.test.ts, that make every mistake. They write first and decide
// afterwards, and pay no attention to the Idempotency-Key. Every thread loads the operations from this file.

import { emptyValue, type Resources, resourceNamed } from '../../../src/domain/declarations/resource.ts'
import { productOf as standardProductOf } from '../../../src/domain/product.ts'
import type { OngoingChange } from '../../../src/domain/records/changes.ts'
import { createRecord } from '../../../src/domain/records/records.ts'
import type { Database } from '../../../src/engine/database/database.ts'
import { mutation, pipelinedMutation, unboundedMutation } from '../../../src/engine/mutation.ts'
import { defineOperations } from '../../../src/engine/operation.ts'
import type { Product } from '../../../src/engine/product.ts'
import { type StoredResponse, toStoredResponse } from '../../../src/engine/responses/stored-response.ts'
import { Problem } from '../../../src/problem.ts'

/** What the operation does after it has created a customer with this name. `forget`: refuses the request with a problem
 *  that is not stored. `respond`: returns a refusal instead of throwing it. `break`: sends a statement that fails,
 *  and refuses the request without waiting for it. */
export const endings = ['succeed', 'refuse', 'forget', 'respond', 'break'] as const

export type Carelessness = { name: string; ending: (typeof endings)[number] }

export const carelessOperations = defineOperations({
  careless: mutation(createCarelessly),
  carelessAndPipelined: pipelinedMutation(createCarelessly),
  carelessAndUnbounded: { ...unboundedMutation(createCarelessly), isLong: true },
})

/** The product with these operations. */
export function productOf(resources: Resources): Product {
  const product = standardProductOf(resources)
  const added = Object.values(carelessOperations).map((operation) => [operation.name, operation] as const)
  return { ...product, module: import.meta.url, operations: new Map([...product.operations, ...added]) }
}

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
