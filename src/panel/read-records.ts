// Reads records without including the records that they refer to.

import type { Resource } from '../domain/declarations/resource.ts'
import type { Condition } from '../domain/lists/query.ts'
import { maxValues } from '../domain/lists/request/operands.ts'
import { maxLimit } from '../domain/lists/request/request.ts'
import { recordOperations } from '../domain/records/operations.ts'
import type { PanelRecord } from './components/record-fields.ts'
import type { TenantRequest } from './requests/request.ts'

/** Returns the records with these ids. Ignores all ids after the first `maxValues`. */
export function readRecords(request: TenantRequest, resource: Resource, ids: number[]): Promise<PanelRecord[]> {
  const condition: Condition = { filter: 'id', operator: 'in', values: ids.slice(0, maxValues) }
  return readMatching(request, resource.name, condition, maxLimit)
}

/** Returns the first `limit` records, in order of id, that match the condition. */
export async function readMatching(
  { deps, tenant }: TenantRequest,
  resource: string,
  condition: Condition,
  limit: number,
): Promise<PanelRecord[]> {
  const query = {
    limit,
    sort: { field: 'id', isDescending: false },
    conditions: [condition],
    words: [],
    includes: {},
    after: null,
    withTotal: false,
    timeoutMs: deps.listTimeoutMs,
  }
  const { data } = await deps.engine.run(tenant, recordOperations.list, { resource, query })
  return JSON.parse(`[${data}]`)
}
