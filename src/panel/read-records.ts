// Reads records without including the records that they refer to.

import type { FieldValue } from '../domain/fields/field-values.ts'
import type { Condition } from '../domain/lists/query.ts'
import { maxLimit } from '../domain/lists/request/request.ts'
import { recordOperations } from '../domain/records/operations.ts'
import type { PanelRecord } from './components/record-fields.ts'
import type { TenantRequest } from './requests/request.ts'

/** A record that something refers to: its resource, and its id if there is one. */
export type Mention = { to: string; id: FieldValue | undefined }

/** Finds a record by its resource and id; undefined for deleted records. */
export type Records = (resource: string, id: unknown) => PanelRecord | undefined

/** Reads the mentioned records. */
export async function readMentioned(request: TenantRequest, mentions: readonly Mention[]): Promise<Records> {
  const pages = request.resources.map(async ({ name }) => {
    const ids = mentions.flatMap(({ to, id }) => (to === name && typeof id === 'number' ? [id] : []))
    return [name, await readRecords(request, name, ids)] as const
  })
  const byResource = new Map(await Promise.all(pages))
  return (resource, id) => byResource.get(resource)?.get(Number(id))
}

/** Returns the records with these ids, by id. */
export async function readRecords(
  request: TenantRequest,
  resource: string,
  ids: readonly number[],
): Promise<Map<number, PanelRecord>> {
  const wanted = [...new Set(ids)]
  const recordById = new Map<number, PanelRecord>()
  for (let index = 0; index < wanted.length; index += maxLimit) {
    const values = wanted.slice(index, index + maxLimit)
    const records = await readMatching(request, resource, { filter: 'id', operator: 'in', values }, maxLimit)
    for (const record of records) recordById.set(record.id, record)
  }
  return recordById
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
