// Decides whether a row puts its record into the stock of a branch instead of a person's hands (contract §17, Stock).

import { type Resource, type Stock, stockFieldOf } from '../../declarations/resource.ts'
import type { StoredRecord } from '../../records/changes.ts'
import type { FileColumns } from '../columns/columns.ts'
import { fieldOf } from '../columns/targets.ts'
import type { Lookups } from './lookups.ts'
import type { RowRequest } from './row-request.ts'

type Body = Record<string, unknown>

/** Returns the body with the holder that the row gives, or the stock. The body has `stock.member` only if the stock must be
 *  created first. `body`: the row's values, with the ids of its references. */
export function placeInStock(
  { resource, columns, lookups }: { resource: Resource; columns: FileColumns; lookups: Lookups },
  { references }: RowRequest,
  body: Body,
  record: StoredRecord | undefined,
): Body {
  const { name: holder, stock } = stockFieldOf(resource) ?? {}
  if (holder === undefined || !stock) return body
  const { [stock.member]: branch = null, ...others } = body
  const given = (field: string) => references.find((reference) => reference.field === field)
  const isSet = given(stock.member)?.column === null
  const hasHolder = given(holder) !== undefined && (given(holder)!.column !== null || isSet)
  const mayMove = !record || !isSet || hasColumn(columns, holder)
  if (branch === null || hasHolder || !mayMove) return others
  const id = lookups.stockOf(Number(branch))
  if (id === undefined) return { ...others, [holder]: null, [stock.member]: branch }
  const isMoved = record?.[holder] !== id
  return { ...withImplied(stock, others, isMoved), [holder]: id }
}

function hasColumn({ columns }: FileColumns, field: string): boolean {
  return columns.some(({ target }) => target !== null && fieldOf(target) === field)
}

/** Adds the values that a record gets in stock, unless the row gives others. A record that stays where it is keeps those
 *  that the file has no column for. */
function withImplied({ sets }: Stock, body: Body, isMoved: boolean): Body {
  const implied = Object.entries(sets).filter(([name]) => (body[name] ?? null) === null && (isMoved || name in body))
  return { ...body, ...Object.fromEntries(implied) }
}
