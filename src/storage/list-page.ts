// One page of a tenant's list, for the API and the panel: reads a cursor and returns the cursor of the next page.

import type { Value } from '../database/database.ts'
import { invalidRequest } from '../problem.ts'
import type { ListRequest } from '../resources/lists/request.ts'
import { type ListIdentity, readCursor, writeCursor } from './cursor.ts'
import type { Listed } from './operations/records.ts'
import type { Storage, TenantLocation } from './storage.ts'

/** `cursorKeys`: the first signs cursors, any of them verifies one. `listTimeoutMs`: time limit of each statement of
 *  a list. */
export type ListDependencies = { storage: Storage; cursorKeys: readonly Buffer[]; listTimeoutMs: number }

/** Records as JSON text, and the cursor of the next page. */
export type ListPage = Omit<Listed, 'next'> & { next: string | null }

/** Reads current records, or historical ones if `asOf` is set. Throws `invalid_request` for a cursor of another list,
 *  and the errors of Storage.run. */
export async function readListPage(
  { storage, cursorKeys, listTimeoutMs }: ListDependencies,
  tenant: TenantLocation,
  resource: string,
  { cursor, ...asked }: ListRequest,
): Promise<ListPage> {
  const identity: ListIdentity = { ...asked, tenant: tenant.id, resource }
  const after = cursor === null ? null : readCursor(cursorKeys, identity, cursor)
  if (after === undefined) {
    const hint = 'use page.next_cursor with the same sort and filters, or start without a cursor'
    throw invalidRequest(`cursor is not valid for this list: ${hint}.`)
  }
  const query = { ...asked, after, timeoutMs: listTimeoutMs }
  const { next, ...listed } = await storage.run(tenant, asked.asOf ? 'listAsOf' : 'list', { resource, query })
  return { ...listed, next: next && writeCursor(cursorKeys, identity, next) }
}

/** A page with the cursors of the pages on both sides of it. */
export type PlacedPage<Found> = { records: Found[]; total: number | null; previous: string | null; next: string | null }

/** Like readListPage, for a user who also goes back: `before` is the `previous` of a page, and leads to the page that ends there. It is
 *  a cursor of the list in the opposite order. */
export async function readPlacedPage<Found extends { id: number }>(
  deps: ListDependencies,
  tenant: TenantLocation,
  resource: string,
  { before, ...asked }: ListRequest & { before: string | null },
): Promise<PlacedPage<Found>> {
  const { field, isDescending } = asked.sort
  const opposite = { field, isDescending: !isDescending }
  const isBackwards = before !== null
  const request = isBackwards ? { ...asked, sort: opposite, cursor: before } : asked
  const page = await readListPage(deps, tenant, resource, request)
  const records: Found[] = JSON.parse(`[${page.data}]`)
  if (isBackwards) records.reverse()
  const cursorAt = (record: Found | undefined, sort: ListRequest['sort']) => {
    if (!record) return null
    const value = (record as Record<string, unknown>)[field] as Value
    const end = [page.ends?.first, page.ends?.last].find((each) => each?.id === record.id)
    const identity: ListIdentity = { ...asked, sort, tenant: tenant.id, resource }
    return writeCursor(deps.cursorKeys, identity, end ?? { value, id: record.id })
  }
  const hasPrevious = isBackwards ? page.next !== null : asked.cursor !== null
  return {
    records,
    total: page.total,
    previous: hasPrevious ? cursorAt(records[0], opposite) : null,
    next: isBackwards ? cursorAt(records.at(-1), asked.sort) : page.next,
  }
}
