// Reads a page of a list sorted by the titles of related records (title-order.ts). If there are few matches, they are
// all read and sorted. Otherwise the related records, called titled records here, are read in title order, each with
// the matches that refer to it, until the page is full.

import { limitClause, type Row } from '../../../engine/database/database.ts'
import type { Resource } from '../../declarations/resource.ts'
import type { Clause } from '../../search/index.ts'
import type { List } from '../list.ts'
import { budgetCheck, countMatches, whereOf } from '../page.ts'
import { choosePlan } from '../plans/choose-plan.ts'
import { columnConditions, textConditions } from '../plans/conditions.ts'
import type { ListQuery, Page, Position } from '../query.ts'
import { pageOfPlaces } from './places.ts'
import { type TitleOrder, titlesSql } from './title-order.ts'

/** If there are at most this many matches, all of them are sorted by title, which takes about 5 µs per match. */
const fewMatches = 1500

/** How many titled records one query reads. Their matches are read in batches: first for one titled record, then for
 *  four times as many in each further batch. */
const titledPerQuery = 1000

/** If a batch of titled records has more matches than this, the batch size starts again at one titled record. */
const maxMatches = 2000

/** A record's place in the list, with the id and the title of its titled record. */
type Place = { id: number; titledId: number; title: string }

/** The list that a page is read from. `conditions`: the filter conditions, for a walk through the titled records. */
type TitleList = List & { order: TitleOrder; conditions: Clause[] }

/** Like listRecords, for a query that is sorted by titles. */
export async function listByTitle(list: List, order: TitleOrder): Promise<Page> {
  const { database, query } = list
  database.setBudget(query.timeoutMs)
  const byId = { ...query, sort: { field: 'id', isDescending: false }, after: null, withTotal: false }
  const plan = await choosePlan({ ...list, query: byId })
  const total = await countMatches(list, plan)
  const byTitle = { ...list, order, conditions: conditionsOf(list) }
  const places = total <= fewMatches ? await sortMatches(byTitle, plan.countClauses) : await walkTitles(byTitle)
  return pageOfPlaces(list, places.map(positionOf), query.withTotal ? total : null)
}

function positionOf({ id, titledId, title }: Place): Position {
  return { value: title, id, of: titledId }
}

function conditionsOf(list: List): Clause[] {
  const onColumns = columnConditions(list)
  // SQLite must find the rows by the reference's index, so the conditions take the form that only tests rows.
  const isSqlite = list.database.engine === 'sqlite'
  return [...onColumns.map(({ byRow, byIndex }) => (isSqlite ? byRow : byIndex)), ...textConditions(list)]
}

/** Finds all matches and sorts them. */
async function sortMatches(
  { database, resource, order, query }: TitleList,
  clauses: readonly Clause[],
): Promise<Place[]> {
  const { after, limit } = query
  const [comparison, direction] = directionOf(query)
  const where = whereOf([...budgetCheck(database), ...clauses])
  const [reference, second] = order.references
  const middle = order.middle ? `join ${order.middle.name} m on m.id = matching.${reference}` : ''
  const key = second === undefined ? `matching.${reference}` : `m.${second}`
  const position = after ? { sql: `where (titled.title, titled.id, matching.id) ${comparison} (?, ?, ?)` } : { sql: '' }
  const sql = `select matching.id as id, titled.id as titled_id, titled.title as title
    from (select id, ${reference} from ${resource.name} ${where.sql}) matching ${middle}
    join ${titlesSql(database, order.titled)} titled on titled.id = ${key} ${position.sql}
    order by titled.title ${direction}, titled.id ${direction}, matching.id ${direction} ${limitClause}`
  const placed = after ? [after.value, after.of!, after.id] : []
  return (await database.all(sql, [...where.values, ...placed, limit + 1])).map(toPlace)
}

function toPlace({ id, titled_id, title }: Row): Place {
  return { id: Number(id), titledId: Number(titled_id), title: title as string }
}

/** The comparison operator and the sort direction. */
function directionOf({ sort }: ListQuery): ['>' | '<', 'asc' | 'desc'] {
  return sort.isDescending ? ['<', 'desc'] : ['>', 'asc']
}

type Titled = { id: number; title: string }

/** Reads the titled records in order, and the matches for each of them. */
async function walkTitles(list: TitleList): Promise<Place[]> {
  const { after, limit } = list.query
  const found: Place[] = []
  const isFull = () => found.length > limit
  let last: Titled | null = null
  if (after) {
    last = { id: after.of!, title: after.value as string }
    found.push(...(await matchesOf(list, [last], limit + 1, after.id)))
  }
  for (let batchSize = 1; !isFull(); ) {
    const titled: Titled[] = await readTitled(list, last)
    for (let start = 0; start < titled.length && !isFull(); ) {
      const batch = titled.slice(start, start + batchSize)
      const missing = limit + 1 - found.length
      const matches = await matchesOf(list, batch, batch.length === 1 ? missing : maxMatches + 1)
      if (matches.length > maxMatches && batch.length > 1) {
        batchSize = 1
        continue
      }
      found.push(...matches)
      start += batch.length
      batchSize = Math.min(batchSize * 4, titledPerQuery)
    }
    if (titled.length < titledPerQuery) break
    last = titled.at(-1)!
  }
  return found.slice(0, limit + 1)
}

async function readTitled({ database, order, query }: TitleList, last: Titled | null): Promise<Titled[]> {
  const [comparison, direction] = directionOf(query)
  // The first comparison is redundant, but without it SQLite would read the index on titles from its start.
  const afterLast = `title ${comparison}= ? and (title, id) ${comparison} (?, ?)`
  const position = last ? [{ sql: afterLast, values: [last.title, last.title, last.id] }] : []
  const where = whereOf([...budgetCheck(database), ...position])
  const sql = `select id, title from ${titlesSql(database, order.titled)} titled ${where.sql}
    order by title ${direction}, id ${direction} ${limitClause}`
  const rows = await database.all(sql, [...where.values, titledPerQuery])
  return rows.map(({ id, title }) => ({ id: Number(id), title: title as string }))
}

/** Finds the matches that refer to these titled records, in list order. `after`: the id after which the matches
 *  start. */
async function matchesOf(list: TitleList, titled: readonly Titled[], limit: number, after?: number): Promise<Place[]> {
  const { database, resource, order, query, conditions } = list
  const [comparison, direction] = directionOf(query)
  const position = after === undefined ? [] : [{ sql: `id ${comparison} ?`, values: [after] }]
  const where = whereOf([...budgetCheck(database), refersTo(order, titled), ...conditions, ...position])
  const sql = `select id, ${keyOf(order, resource)} as titled_id from ${resource.name} ${where.sql}
    order by id ${direction} ${limitClause}`
  const rows = await database.all(sql, [...where.values, limit])
  const ranks = new Map(titled.map(({ id }, index) => [id, index]))
  const rankOf = ({ titled_id }: Row) => ranks.get(Number(titled_id))!
  return rows
    .toSorted((one, other) => rankOf(one) - rankOf(other)) // keeps id order
    .map((row) => toPlace({ ...row, title: titled[rankOf(row)]!.title }))
}

function refersTo({ references: [reference, second], middle }: TitleOrder, titled: readonly Titled[]): Clause {
  const ids = titled.map(({ id }) => id)
  const placeholders = ids.map(() => '?').join(', ')
  const targetIds = middle ? `select id from ${middle.name} where ${second} in (${placeholders})` : placeholders
  return { sql: `${reference} in (${targetIds})`, values: ids }
}

function keyOf({ references: [reference, second], middle }: TitleOrder, { name }: Resource): string {
  return middle ? `(select ${second} from ${middle.name} m where m.id = ${name}.${reference})` : reference!
}
