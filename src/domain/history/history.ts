// Reads the history: changes in order, and how many of them belong together.

import {
  allOf,
  budgetCheck,
  type Clause,
  type Database,
  limitClause,
  type Row,
  type Value,
} from '../../engine/database/database.ts'
import { withConfiguration } from '../declarations/configuration.ts'
import type { Resources } from '../declarations/resource.ts'
import { views } from '../declarations/views.ts'
import { type Actor, type Change, changeColumns } from '../records/changes.ts'
import { hidesOneSide, isNotAboutHiddenView, onlySharing } from '../views/view.ts'
import { historyStart, positionAt, startSeq } from './positions.ts'
import { findUndos, readSetKinds, type SetKind } from './undo/undos.ts'

export const actions = ['create', 'update', 'delete'] as const satisfies Change['action'][]

/** Selects the changes with a sequence number above `since`. If `isBackwards` is set, selects the changes with a
 *  sequence number below `since`, latest first. A null filter matches everything. `resources` and `actions`: distinct
 *  names, of which a change must match one. `id`: a record's id. `changeSet`: a change set's UUID in lower case.
 *  `viewer`: who reads the history, and therefore does not see private views of others; null sees everything. */
export type ChangesQuery = {
  viewer: Actor | null
  limit: number
  since: number
  isBackwards?: true
  resources: readonly string[] | null
  id: number | null
  actions: readonly Change['action'][] | null
  changeSet?: string | null
  by?: Actor | { userIds: string[] } | null
  /** Only changes after `after` and up to `until`. Allowed only with `isBackwards`. */
  between?: { after: string | null; until: string | null }
  timeoutMs: number
}

/** A position after every change, for reading backwards from the end of the history. */
export const endOfHistory = Number.MAX_SAFE_INTEGER

/** `entries`: each change's JSON text. `since`: the next page's position. `latest`: the number of the tenant's newest
 *  change, 0 if there is none. `start`: the number of the last removed change, 0 if there is none. */
export type ChangesPage = { entries: string[]; hasMore: boolean; since: number; latest: number; start: number }

/** Reads a page of the history. The numbers have no gaps and follow the order of commits, so a change that is made
 *  later always has a higher number than the changes already returned. Throws TooSlow. */
export async function listChanges(database: Database, resources: Resources, input: ChangesQuery): Promise<ChangesPage> {
  database.setBudget(input.timeoutMs)
  const query = await resolveTimes(database, input)
  const ranges = rangesOf(resources, query).map((range) => selectRange(database, query, range))
  const union = ranges.map(({ sql }) => `select * from (${sql}) each_range`).join(' union all ')
  const values = ranges.flatMap((range) => range.values)
  const order = query.isBackwards ? 'seq desc' : 'seq'
  const [rows, newest] = await Promise.all([
    database.all<ChangeRow>(`${union} order by ${order} ${limitClause}`, [...values, query.limit + 1]),
    // read after the page, so that no change on the page is newer than `latest`
    database.get<{ latest: Value; start: Value }>(
      `select coalesce(max(seq), 0) as latest, ${startSeq} as start from changes`,
      [],
    ),
  ])
  const [latest, lastRemoved] = [Number(newest!.latest), Number(newest!.start)]
  const hasMore = rows.length > query.limit
  if (hasMore) rows.pop()
  const end = latest === 0 ? 0 : latest + 1 // an empty history ends where it starts
  const position = query.isBackwards ? Math.min(query.since, end) : Math.max(query.since, lastRemoved)
  const since = rows.at(-1)?.seq ?? position
  return { entries: rows.map((row) => changeJson(withoutHiddenSide(row))), hasMore, since, latest, start: lastRemoved }
}

/** A query with its times resolved to positions. `above`: only changes with a higher number are selected. */
type PositionedQuery = ChangesQuery & { above: number }

async function resolveTimes(database: Database, query: ChangesQuery): Promise<PositionedQuery> {
  const { after = null, until = null } = query.between ?? {}
  const [above, last] = await Promise.all(
    [after, until].map((moment) => (moment === null ? null : lastChangeUpTo(database, moment))),
  )
  const since = last === null ? query.since : Math.min(query.since, last! + 1)
  return { ...query, since, above: above ?? 0 }
}

/** Returns the number of the last change up to a moment. If the moment is before the start of the history, returns the
 *  number of the last removed change. */
async function lastChangeUpTo(database: Database, moment: string): Promise<number> {
  const start = await historyStart(database)
  return moment < start.at ? start.seq : (await positionAt(database, moment)).seq
}

/** Returns the number of the first of the consecutive changes of a change set that end with the change `last`. Even an
 *  import with 100,000 changes is measured without reading them, because the change set index contains their numbers. */
export async function findRunStart(
  database: Database,
  { changeSet, last, timeoutMs }: { changeSet: string; last: number; timeoutMs: number },
): Promise<number> {
  database.setBudget(timeoutMs)
  const totals = await database.get(
    `select min(seq) as first, count(*) as count from changes where change_set = ? and seq <= ? and seq > ${startSeq}`,
    [changeSet, last],
  )
  const isUnbroken = last - Number(totals!.first) + 1 === Number(totals!.count)
  return isUnbroken ? Number(totals!.first) : startOfRun(database, changeSet, last)
}

type SetsQuery = {
  changeSets: readonly string[]
  resource: string | null
  action: Change['action'] | null
} & Pick<ChangesQuery, 'id' | 'by' | 'timeoutMs'>

/** A change set's changes that match the filters. `last`: the number of the newest one. `groups`: how many there are of
 *  each kind; empty if there are more than `maxGrouped` changes, which would have to be read. `isUndone`: whether another
 *  change set undid this one. */
export type ChangeSetTotals = {
  changeSet: string
  last: number
  count: number
  kind: SetKind
  isUndone: boolean
  groups: { resource: string; action: Change['action']; count: number }[]
}

const maxGrouped = 5000

export async function measureSets(database: Database, query: SetsQuery): Promise<ChangeSetTotals[]> {
  const { changeSets, resource, id, action, by, timeoutMs } = query
  if (changeSets.length === 0) return []
  database.setBudget(timeoutMs)
  const columns = withoutNulls({ resource, record_id: id, action })
  const filters = [equalTo({ ...columns, ...actorColumn(by) }), madeByOneOf(by)].filter(({ sql }) => sql !== '')
  const read = <T extends Row>(sets: readonly string[], fields: string, group: string) => {
    const { sql, values } = allOf([equalTo({ change_set: sets }), isNotRemoved, ...filters])
    return database.all<T>(`select ${fields} from changes where ${sql} group by ${group}`, values)
  }
  type Total = Row & { change_set: string; last: number; count: number }
  type Group = Row & { change_set: string; resource: string; action: Change['action']; count: number }
  const totals = await read<Total>(changeSets, 'change_set, max(seq) as last, count(*) as count', 'change_set')
  const small = totals.filter(({ count }) => Number(count) <= maxGrouped).map(({ change_set }) => change_set)
  const kind = 'change_set, resource, action'
  const groups = small.length === 0 ? [] : await read<Group>(small, `${kind}, count(*) as count`, kind)
  const [kinds, undone] = [
    await readSetKinds(database, { changeSets }),
    await findUndos(database, 'undone', changeSets),
  ]
  return totals.map(({ change_set: changeSet, last, count }) => ({
    changeSet,
    last: Number(last),
    count: Number(count),
    kind: kinds[changeSet]!,
    isUndone: undone.some((each) => each.undone === changeSet),
    groups: groups
      .filter((group) => group.change_set === changeSet)
      .map((group) => ({ resource: group.resource, action: group.action, count: Number(group.count) })),
  }))
}

/** Returns where the run starts: just after the latest change before `last` that is not in the change set. */
async function startOfRun(database: Database, changeSet: string, last: number): Promise<number> {
  const row = await database.get(
    `select coalesce(max(seq), 0) as other, ${startSeq} as start from changes
     where seq < ? and (change_set is null or change_set <> ?)`,
    [last, changeSet],
  )
  return Math.max(Number(row!.other), Number(row!.start)) + 1
}

/** A range in one of the history's indexes, in sequence order. `indexed`: the index's columns, with their values.
 *  `checked`: other columns, which are compared for every change in the range; a list matches any of its values. */
type Range = { indexed: Record<string, Value>; checked: Record<string, Value | readonly Value[]> }

function rangesOf(resources: Resources, query: ChangesQuery): Range[] {
  const { id, by = null, changeSet = null } = query
  const names = query.resources ?? withConfiguration(resources).map(({ name }) => name)
  const checked = actorColumn(by)
  if (changeSet !== null) {
    const columns = { resource: query.resources, record_id: id, action: query.actions }
    return [{ indexed: { change_set: changeSet }, checked: { ...checked, ...withoutNulls(columns) } }]
  }
  if (id !== null) {
    const withAction = { ...checked, ...withoutNulls({ action: query.actions }) }
    return names.map((name) => ({ indexed: { resource: name, record_id: id }, checked: withAction }))
  }
  if (query.resources === null && query.actions === null) return [{ indexed: {}, checked }]
  const wantedActions = query.actions ?? actions
  return names.flatMap((name) => wantedActions.map((action) => ({ indexed: { resource: name, action }, checked })))
}

function withoutNulls(columns: Record<string, Value | readonly Value[]>): Range['checked'] {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== null))
}

function actorColumn(by: ChangesQuery['by']): Range['checked'] {
  if (!by) return {}
  if ('apiKeyId' in by) return { api_key_id: by.apiKeyId }
  return 'userId' in by ? { user_id: by.userId } : {}
}

function selectRange(database: Database, query: PositionedQuery, { indexed, checked }: Range): Clause {
  const { engine } = database
  const { since, limit, isBackwards } = query
  const isAfterPosition = { sql: `seq ${isBackwards ? '<' : '>'} ?`, values: [since] }
  const clauses =
    engine === 'postgres'
      ? [indexRange(indexed, query, isAfterPosition)]
      : [isAfterPosition, ...budgetCheck(database, 'seq'), equalTo(indexed)]
  const periodConditions = query.above > 0 ? [{ sql: 'seq > ?', values: [query.above] }] : []
  const conditions = [...clauses, ...periodConditions, isNotRemoved, equalTo(checked), madeByOneOf(query.by)]
  const canBeView = indexed.resource === undefined || indexed.resource === views.name
  const visibility = query.viewer !== null && canBeView ? [isNotAboutHiddenView(engine, query.viewer)] : []
  const where = allOf([...conditions, ...visibility].filter(({ sql }) => sql !== ''))
  const last = Object.keys(indexed).at(-1)
  const direction = isBackwards ? ' desc' : ''
  const order = engine === 'postgres' && last ? `${last}${direction}, seq${direction}` : `seq${direction}`
  const hides = query.viewer !== null && canBeView ? hidesOneSide(engine, query.viewer) : { sql: 'false', values: [] }
  const fields = `${changeColumns.join(', ')}, ${hides.sql} as hides_side`
  const sql = `select ${fields} from changes where ${where.sql} order by ${order} ${limitClause}`
  return { sql, values: [...hides.values, ...where.values, limit + 1] }
}

/** Excludes removed changes: retention leaves an empty row for some of them. */
export const isNotRemoved: Clause = { sql: `seq > ${startSeq}`, values: [] }

function madeByOneOf(by: ChangesQuery['by']): Clause {
  if (!by || !('userIds' in by)) return { sql: '', values: [] }
  return { sql: by.userIds.length === 0 ? '1 = 0' : `user_id in (${by.userIds.map(() => '?')})`, values: by.userIds }
}

function equalTo(columns: Range['checked']): Clause {
  const clauses = Object.entries(columns).map(([name, value]): Clause => {
    if (!isList(value)) return { sql: `${name} = ?`, values: [value] }
    return { sql: `${name} in (${value.map(() => '?')})`, values: [...value] }
  })
  return allOf(clauses)
}

function isList(value: Value | readonly Value[]): value is readonly Value[] {
  return Array.isArray(value)
}

/** Returns the conditions in a form that forces PostgreSQL to use the index. PostgreSQL would otherwise scan the
 *  history in sequence order whenever it expects many matches. */
function indexRange(
  indexed: Record<string, Value>,
  { since, isBackwards }: ChangesQuery,
  isAfterPosition: Clause,
): Clause {
  const columns = Object.entries(indexed)
  const last = columns.pop()
  if (!last) return isAfterPosition
  const [name, value] = last
  const [from, to] = isBackwards ? ['<', '>='] : ['>', '<=']
  const range = `(${name}, seq) ${from} (?, ?) and ${name} ${to} ?`
  const sql = [...columns.map(([column]) => `${column} = ?`), range].join(' and ')
  return { sql, values: [...columns.map(([, fixed]) => fixed), value, since, value] }
}

/** The columns of a history row that are read here. `before` and `after` are JSON. `hides_side`: see hidesOneSide. */
export type ChangeRow = Row & { seq: number; hides_side?: Value }

function withoutHiddenSide({ hides_side, ...row }: ChangeRow): ChangeRow {
  if (!hides_side) return row
  return { ...row, before: onlySharing(String(row.before)), after: onlySharing(String(row.after)) }
}

/** Returns a row of the history as JSON. `before` and `after` are already JSON. */
export function changeJson({ record_id, before, after, ...row }: Row): string {
  const { seq, at, resource, action, api_key_id, user_id, request_id, change_set } = row
  const [head, end] = [
    { seq, at, resource, id: record_id, action },
    { api_key_id, user_id, request_id, change_set },
  ].map((part) => JSON.stringify(part).slice(1, -1))
  return `{${head},"before":${before},"after":${after},${end}}`
}
