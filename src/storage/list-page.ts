// A page of a tenant's list, as both doors give it: from the cursor that was sent to the cursor of the next page.

import { invalidRequest } from '../problem.ts'
import type { ListRequest } from '../resources/lists/request.ts'
import { type ListIdentity, readCursor, writeCursor } from './cursor.ts'
import type { Listed } from './operations.ts'
import type { Storage, TenantLocation } from './storage.ts'

/** `cursorKeys`: cursors are signed with the first, and known by any of them. `listTimeoutMs`: how long each statement of a list
 *  may take, in milliseconds. */
export type ListDependencies = { storage: Storage; cursorKeys: readonly Buffer[]; listTimeoutMs: number }

/** Records as JSON text, and the cursor that the next page begins with. */
export type ListPage = Omit<Listed, 'next'> & { next: string | null }

/** Reads the records that are wanted: those that there are, or those of a moment. Throws `invalid_request` for a cursor of
 *  another list, and what storage throws. */
export async function readListPage(
  { storage, cursorKeys, listTimeoutMs }: ListDependencies,
  tenant: TenantLocation,
  resource: string,
  { cursor, ...asked }: ListRequest,
): Promise<ListPage> {
  const identity: ListIdentity = { ...asked, tenant: tenant.id, resource }
  const after = cursor === null ? null : readCursor(cursorKeys, identity, cursor)
  if (after === undefined) {
    const hint = 'take page.next_cursor with the same sort and filters, or begin without cursor'
    throw invalidRequest(`cursor is not one of this list: ${hint}.`)
  }
  const query = { ...asked, after, timeoutMs: listTimeoutMs }
  const { next, ...listed } = await storage.run(tenant, asked.asOf ? 'listAsOf' : 'list', { resource, query })
  return { ...listed, next: next && writeCursor(cursorKeys, identity, next) }
}
