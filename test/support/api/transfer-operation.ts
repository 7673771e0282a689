// Additional operations, used by endpoints.test.ts: one reassigns all of one employee's hardware to another employee, the
// other notes on a customer that a bell was rung. Every thread loads the operations from this file.

import { byId, type Resources, resourceNamed } from '../../../src/domain/declarations/resource.ts'
import { productOf as standardProductOf } from '../../../src/domain/product.ts'
import type { OngoingChange } from '../../../src/domain/records/changes.ts'
import { updateRecord } from '../../../src/domain/records/records.ts'
import type { Database } from '../../../src/engine/database/database.ts'
import { mutation } from '../../../src/engine/mutation.ts'
import { defineOperations } from '../../../src/engine/operation.ts'
import type { Product } from '../../../src/engine/product.ts'
import type { StoredResponse } from '../../../src/engine/responses/stored-response.ts'
import { Problem } from '../../../src/problem.ts'

export type Transfer = { from: number; to: number }

export type Ringing = { id: number; times: number }

export const toyOperations = defineOperations({ transfer: mutation(transfer), ring: mutation(ring) })

/** The product with these operations. */
export function productOf(resources: Resources): Product {
  const product = standardProductOf(resources)
  const added = Object.values(toyOperations).map((operation) => [operation.name, operation] as const)
  return { ...product, module: import.meta.url, operations: new Map([...product.operations, ...added]) }
}

async function transfer(
  database: Database,
  { from, to }: Transfer,
  { resources, context }: OngoingChange,
): Promise<StoredResponse> {
  if (!(await database.get('select id from employees where id = ?', [to]))) throw new Problem('invalid_employee')
  const assigned = await database.all('select id from hardware where employee_id = ? order by id', [from])
  const hardware = resourceNamed(resources, 'hardware')
  for (const { id } of assigned)
    await updateRecord(database, {
      resource: hardware,
      key: byId(id as number),
      values: { employee_id: to },
      context,
    })
  return {
    status: 200,
    body: JSON.stringify({ moved: assigned.length }),
    location: null,
    changeSet: assigned.length > 0 ? context.changeSet : null,
  }
}

async function ring(
  database: Database,
  { id, times }: Ringing,
  { resources, context }: OngoingChange,
): Promise<StoredResponse> {
  const customers = resourceNamed(resources, 'customers')
  const [customer] = await database.all<{ notes: string | null }>('select notes from customers where id = ?', [id])
  if (!customer) throw new Problem('not_found')
  const notes = `${customer.notes ?? ''}${'ring '.repeat(times)}`
  await updateRecord(database, { resource: customers, key: byId(id), values: { notes: notes.trim() }, context })
  return { status: 200, body: JSON.stringify({ rung: times }), location: null, changeSet: context.changeSet }
}
