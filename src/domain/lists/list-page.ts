// Reads one page of a tenant's list, for the API and the panel: starts at a given cursor, and returns the next page's
// cursor. A cursor is a signed position in a list, and is valid only for that list.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Value } from '../../engine/database/database.ts'
import type { Engine } from '../../engine/engine.ts'
import type { TenantLocation } from '../../engine/tenant-databases.ts'
import { invalidRequest } from '../../problem.ts'
import { historyOperations } from '../history/operations.ts'
import { recordOperations, type TaggedPage } from '../records/operations.ts'
import type { ListQuery, Position } from './query.ts'
import type { ListRequest } from './request/request.ts'

/** `cursorKeys`: the first key signs cursors; a cursor that any of the keys signed is valid. `listTimeoutMs`: the time
 *  limit for each of a list's statements. */
export type ListDependencies = { engine: Engine; cursorKeys: readonly Buffer[]; listTimeoutMs: number }

/** Records as JSON text, and the next page's cursor. */
export type CursorPage = Omit<TaggedPage, 'next'> & { next: string | null }

/** Reads current records, or historical ones if `asOf` is set. Throws `invalid_request` for an invalid cursor or a
 *  cursor for another list, and the same errors as Engine.run. */
export async function readListPage(
  { engine, cursorKeys, listTimeoutMs }: ListDependencies,
  tenant: TenantLocation,
  resource: string,
  { cursor, ...list }: ListRequest,
): Promise<CursorPage> {
  const identity: ListIdentity = { ...list, tenant: tenant.id, resource }
  const after = cursor === null ? null : readCursor(cursorKeys, identity, cursor)
  const query = { ...list, after, timeoutMs: listTimeoutMs }
  const { next, ...page } = await engine.run(tenant, list.asOf ? historyOperations.listAsOf : recordOperations.list, {
    resource,
    query,
  })
  return { ...page, next: next && writeCursor(cursorKeys, identity, next) }
}

/** A page with the cursors of the previous and next pages. */
export type BidirectionalPage<Found> = {
  records: Found[]
  total: number | null
  previous: string | null
  next: string | null
}

/** Like readListPage, but can also page backwards. `before`: the `previous` cursor of the page that follows the
 *  requested one, or null to page forwards. This cursor belongs to the list in the opposite order. */
export async function readBidirectionalPage<Found extends { id: number }>(
  deps: ListDependencies,
  tenant: TenantLocation,
  resource: string,
  { before, ...list }: ListRequest & { before: string | null },
): Promise<BidirectionalPage<Found>> {
  const { field, isDescending } = list.sort
  const opposite = { field, isDescending: !isDescending }
  const isBackwards = before !== null
  const request = isBackwards ? { ...list, sort: opposite, cursor: before } : list
  const page = await readListPage(deps, tenant, resource, request)
  const records: Found[] = JSON.parse(`[${page.data}]`)
  if (isBackwards) records.reverse()
  const cursorAt = (record: Found | undefined, sort: ListRequest['sort']) => {
    if (!record) return null
    const value = Object.entries<Value>(record).find(([name]) => name === field)?.[1] ?? null
    const end = [page.ends?.first, page.ends?.last].find((position) => position?.id === record.id)
    const identity: ListIdentity = { ...list, sort, tenant: tenant.id, resource }
    return writeCursor(deps.cursorKeys, identity, end ?? { value, id: record.id })
  }
  const hasPrevious = isBackwards ? page.next !== null : list.cursor !== null
  return {
    records,
    total: page.total,
    previous: hasPrevious ? cursorAt(records[0], opposite) : null,
    next: isBackwards ? cursorAt(records.at(-1), list.sort) : page.next,
  }
}

/** What identifies the list that a cursor belongs to. The page size, the total and the includes are not part of it,
 *  because they may differ between pages. */
type ListIdentity = { tenant: string; resource: string } & Pick<ListQuery, 'sort' | 'conditions' | 'words' | 'asOf'>

const signatureBytes = 16

function writeCursor(keys: readonly Buffer[], list: ListIdentity, position: Position): string {
  const { value, id, ...rest } = position
  return signCursor(keys, identityOf(list), Object.keys(rest).length === 0 ? [value, id] : [value, id, rest])
}

function readCursor(keys: readonly Buffer[], list: ListIdentity, cursor: string): Position {
  const [value, id, rest] = verifyCursor<[Value, number, object | number]>(keys, identityOf(list), cursor)
  // Earlier versions wrote `seq` as a number.
  return { value, id, ...(typeof rest === 'number' ? { seq: rest } : rest) }
}

function identityOf({ tenant, resource, sort, conditions, words, asOf = null }: ListIdentity): unknown[] {
  return [tenant, resource, orderOf(sort), sort.isDescending, sortedJson(conditions), sortedJson(words), asOf]
}

/** Returns the cursor for a position, signed with the first key. `list`: what identifies the list. */
export function signCursor(keys: readonly Buffer[], list: readonly unknown[], position: unknown): string {
  const content = Buffer.from(JSON.stringify(position))
  return Buffer.concat([sign(keys[0]!, list, content), content]).toString('base64url')
}

/** Returns the position in a cursor. Throws `invalid_request` if none of the keys signed the cursor for this list. */
export function verifyCursor<Position>(keys: readonly Buffer[], list: readonly unknown[], cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  const [signature, content] = [bytes.subarray(0, signatureBytes), bytes.subarray(signatureBytes)]
  const isWhole = content.length > 0 && bytes.toString('base64url') === cursor
  if (isWhole && keys.some((key) => timingSafeEqual(sign(key, list, content), signature))) {
    return JSON.parse(content.toString())
  }
  const hint = 'use page.next_cursor with the same sort and filters, or start without a cursor'
  throw invalidRequest(`cursor is not valid for this list: ${hint}.`)
}

function sign(key: Buffer, list: readonly unknown[], content: Buffer): Buffer {
  const hmac = createHmac('sha256', key).update(`${JSON.stringify(list)}\n`)
  return hmac.update(content).digest().subarray(0, signatureBytes)
}

/** Earlier versions sorted names in another order. Their cursors are refused, because a list that continued in this
 *  order would skip or repeat records. */
function orderOf({ field }: ListIdentity['sort']): string {
  return field === 'name' ? 'name without case and accents' : field
}

/** Filters are sorted, since their order does not matter. */
function sortedJson(filters: readonly unknown[]): string[] {
  return filters.map((filter) => JSON.stringify(filter)).sort()
}
