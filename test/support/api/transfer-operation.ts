// An additional operation, used by endpoints.test.ts, that reassigns all of one employee's hardware to another
// employee. Every thread loads the operation from this file.

import { byId, resourceNamed } from '../../../src/domain/declarations/resource.ts'
import { updateRecord } from '../../../src/domain/records/records.ts'
import type { Database } from '../../../src/engine/database/database.ts'
import { mutation, type OngoingChange } from '../../../src/engine/mutation.ts'
import type { Operations } from '../../../src/engine/operation.ts'
import type { StoredResponse } from '../../../src/engine/responses/stored-response.ts'
import { Problem } from '../../../src/problem.ts'

export type Transfer = { from: number; to: number }

export const operations = { transfer: mutation(transfer) } as const satisfies Operations

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
