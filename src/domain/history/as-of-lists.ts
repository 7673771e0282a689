// Reads lists as they were at a point in time. Records that have not changed since then are read from the table through
// its indexes. Changed records are reconstructed from the history. The two results are merged. All reads must see the
// same snapshot.

import type { Clause } from '../../engine/database/database.ts'
import { resourceNamed } from '../declarations/resource.ts'
import { compareIn } from '../lists/order.ts'
import { textsOf } from '../lists/plans/conditions.ts'
import type { List, Position, RecordPage } from '../lists/query.ts'
import { filtersOf } from '../lists/request/options.ts'
import { hasTexts } from '../search/fold.ts'
import { includedIn, positionAfter, positionAt, recordsAsOf } from './as-of.ts'
import { countBoth, type PastList, type PositionedRecord, readChanged, readUnchanged } from './as-of-pages.ts'
import { planChanged, planUnchanged } from './as-of-plans.ts'

/** Like listRecords. The cursor position contains the number of a change, so that all pages show the same state. */
export async function listAsOf(list: List): Promise<RecordPage> {
  const { database, query } = list
  database.setBudget(query.timeoutMs)
  const listedSeq = query.after?.seq
  const point = await (listedSeq === undefined ? positionAt(database, query.asOf!) : positionAfter(database, listedSeq))
  const plans = { changed: planChanged(list), unchanged: await planUnchanged(list, point.seq) }
  const past = { ...list, ...point, others: otherTablesAsOf(list, point.seq), plans }
  const records = textsOf(query).length > 0 ? await searchBoth(past) : await readBoth(past)
  const hasMore = records.length > query.limit
  const page = records.slice(0, query.limit)
  const { value, id } = hasMore ? page.at(-1)! : { value: null, id: 0 }
  return {
    records: page.map(({ text }) => text),
    next: hasMore ? { value, id, seq: point.seq } : null,
    total: query.withTotal ? await countBoth(past) : null,
  }
}

/** Returns queries for the other resources that the list reads, as they were at change `seq`. */
function otherTablesAsOf(list: List, seq: number): [name: string, query: Clause][] {
  const { database, resource, resources, query } = list
  const { filters } = filtersOf(resource, resources)
  const relations = query.conditions.flatMap(({ filter }) => filters.find(({ name }) => name === filter)!.via ?? [])
  const reached = [
    ...includedIn(resource, resources, query.includes),
    ...relations.map(({ to }) => resourceNamed(resources, to)),
  ]
  const others = [...new Set(reached)].filter((table) => table !== resource)
  return others.map((table) => [table.name, recordsAsOf(database.engine, table, seq)])
}

async function readBoth(list: PastList): Promise<PositionedRecord[]> {
  const changed = await readChanged(list)
  const unchanged = await readUnchanged(list, changed)
  return [...changed, ...unchanged].sort((one, other) => compareIn(list, one, other))
}

/** Like readBoth, but for a text search. Only the text of current records is indexed, so changed records are
 *  reconstructed first and then tested. It reads changed records only until their sort position is past the unchanged
 *  records that fill the page. */
async function searchBoth(list: PastList): Promise<PositionedRecord[]> {
  const { resource, query } = list
  const compareRecords = (one: Position, other: Position) => compareIn(list, one, other)
  const found = await readUnchanged(list, [])
  const end = found[query.limit]
  for (let after = query.after; ; ) {
    const changed = await readChanged({ ...list, query: { ...query, after } })
    found.push(...changed.filter(({ text }) => hasTexts(resource, JSON.parse(text), query)))
    const last = changed.at(-1)
    if (changed.length <= query.limit || (end && compareRecords(last!, end) > 0)) break
    after = { value: last!.value, id: last!.id }
  }
  return found.sort(compareRecords)
}
