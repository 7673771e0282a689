// Writes and reads pagination cursors. A cursor is a signed position in a list, and is valid only for that list.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ListQuery, Position } from './query.ts'

/** What identifies the list that a cursor belongs to. The page size, the total and the includes are not part of it,
 *  because they may differ between pages. */
export type ListIdentity = { tenant: string; resource: string } & Pick<
  ListQuery,
  'sort' | 'conditions' | 'words' | 'asOf'
>

const signatureBytes = 16

/** Returns the cursor for a position, signed with the first key. */
export function writeCursor(keys: readonly Buffer[], list: ListIdentity, position: Position): string {
  const { value, id, ...rest } = position
  const content = Buffer.from(JSON.stringify(Object.keys(rest).length === 0 ? [value, id] : [value, id, rest]))
  return Buffer.concat([sign(keys[0]!, list, content), content]).toString('base64url')
}

/** Returns the position in a cursor, or undefined if none of the keys signed the cursor for this list. */
export function readCursor(keys: readonly Buffer[], list: ListIdentity, cursor: string): Position | undefined {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length <= signatureBytes || bytes.toString('base64url') !== cursor) return undefined
  const [signature, content] = [bytes.subarray(0, signatureBytes), bytes.subarray(signatureBytes)]
  if (!keys.some((key) => timingSafeEqual(sign(key, list, content), signature))) return undefined
  const [value, id, rest] = JSON.parse(content.toString())
  // Earlier versions wrote `seq` as a number.
  return { value, id, ...(typeof rest === 'number' ? { seq: rest } : rest) }
}

function sign(key: Buffer, list: ListIdentity, content: Buffer): Buffer {
  const { tenant, resource, sort, conditions, words, asOf = null } = list
  const parts = [tenant, resource, orderOf(sort), sort.isDescending, sortedJson(conditions), sortedJson(words), asOf]
  const text = JSON.stringify(parts)
  return createHmac('sha256', key).update(`${text}\n`).update(content).digest().subarray(0, signatureBytes)
}

/** Earlier versions sorted names in another order. Their cursors are refused, because a list that continued in this order
 *  would skip or repeat records. */
function orderOf({ field }: ListIdentity['sort']): string {
  return field === 'name' ? 'name without case and accents' : field
}

/** Filters are sorted, since their order does not matter. */
function sortedJson(filters: readonly unknown[]): string[] {
  return filters.map((filter) => JSON.stringify(filter)).sort()
}
