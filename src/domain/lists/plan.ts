// How a list's records are found: its conditions as SQL, and the plan of each engine. Only declared names are
// interpolated.

import { type Clause, type Database, limitClause, type Value } from '../../engine/database/database.ts'
import { lowerCaseIsIn } from '../../engine/database/statements.ts'
import { formsOf } from '../records/stored-forms.ts'
import { deferUntilRows, hasDeferredIndexes } from '../schema/derived.ts'
import { containsWord, fieldContains } from '../search/fold.ts'
import { isFoundBy, searchCandidates } from '../search/index.ts'
import { searchOnPostgres } from '../search/postgres.ts'
import { firstIndexedColumn, isLong, sortKeys } from './order.ts'
import type { Condition, List, ListPlan, ListQuery } from './query.ts'
import { type Filter, filtersOf, type ListField, type Operator } from './request/options.ts'

/** A condition on columns. For `status=lost`:
 *
 *  - `byIndex`: `status = ?`. The engine may find the matches by an index.
 *  - `byRow`: `+status = ?`. Each row is tested, because SQLite does not use an index for `+column`.
 *  - `ids`: `select id from hardware where status = ?`, or null if no index finds the matches. */
export type ColumnCondition = { column: string; byIndex: Clause; byRow: Clause; ids: Clause | null }

/** The conditions on columns: all filters except `[contains]`. */
export function columnConditions({ resource, resources, query }: List): ColumnCondition[] {
  const { filters } = filtersOf(resource, resources)
  return query.conditions.flatMap((condition): ColumnCondition[] => {
    if (condition.operator === 'contains') return []
    const filter = filters.find(({ name }) => name === condition.filter)!
    const column = filterColumn(filter)
    const byIndex = clauseOf(filter, condition, { column, table: resource.name })
    const byRow = clauseOf(filter, condition, { column: `+${column}`, table: resource.name })
    const matches = { sql: `select id from ${resource.name} where ${byIndex.sql}`, values: byIndex.values }
    const ids = filter.field.kind === 'creation' ? createdIds(resource.name, condition) : matches
    return [{ column, byIndex, byRow, ids: hasIndex(filter, condition) ? ids : null }]
  })
}

/** Whether an index can find the matches, so that a large table need not be scanned. */
function hasIndex(filter: Filter, { operator, values }: Condition): boolean {
  if (operator === 'ne' || (operator === 'null' && !values[0])) return false
  return filter.via !== undefined || (filter.field.kind !== 'since' && !isLong(filter.field))
}

/** The folded texts that a record must contain. */
export function textsOf({ words, conditions }: ListQuery): string[] {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  return [...words, ...contained.flatMap(({ values }) => values.map(String))]
}

/** Returns the exact conditions on text. They are necessary because the search index only finds candidates. */
export function textConditions({ database: { engine }, resource, query: { words, conditions } }: List): Clause[] {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  return [
    ...words.map((word) => containsWord(engine, word)),
    ...contained.map(({ filter, values }) => fieldContains(engine, resource, filter, String(values[0]))),
  ]
}

/** Returns the column of the list's table that a filter applies to, or an empty string if the filter does not apply to
 *  exactly one column. */
export function filterColumn({ via, field, name }: Filter): string {
  if (via) return via.reference
  if (field.kind === 'words') return field.columns.length === 1 ? field.columns[0]! : ''
  return field.kind === 'missing' || field.kind === 'since' || field.kind === 'creation' ? '' : name
}

/** What a condition is on. `column`: an expression; `+column` prevents the use of an index. `table`: the list's table.
 *  `upTo`: the last change that a condition on the history considers; all changes if absent. */
type ConditionScope = { column: string; table: string; upTo?: number }

export function clauseOf(filter: Filter, condition: Condition, scope: ConditionScope): Clause {
  const { via, field } = filter
  const { column } = scope
  if (field.kind === 'since') return changedSince(field.of, condition, scope)
  if (field.kind === 'creation') return createdIn(condition, scope)
  if (!via) return compare(field, condition, column)
  const { sql, values } = compare(field, condition, via.column)
  return { sql: `${column} in (select id from ${via.to} where ${sql})`, values }
}

const signs = { eq: '=', ne: '<>', gte: '>=', gt: '>', lte: '<=', lt: '<' } as const

/** A word filter's operands are the word, today's date, and the last day of the period. */
function compare(field: ListField, { operator, values }: Condition, column: string): Clause {
  if (field.kind === 'words') {
    const [word, today, last] = values
    const [sql, ...operands] = field.words[String(word)] ?? field.days!
    const bound = operands.map((operand) => (operand === 'today' ? today! : operand === 'last' ? last! : operand))
    return { sql: column.startsWith('+') ? `+(${sql})` : sql, values: bound }
  }
  if (field.kind === 'missing')
    return { sql: `(${values.map((name) => `${declaredName(field.of, name)} is null`).join(' or ')})`, values: [] }
  if (field.kind === 'email' && (operator === 'eq' || operator === 'in')) return isOneOfEmails(values, column)
  if (field.kind === 'email' && operator === 'ne')
    return { sql: `lower(${column}) <> ?`, values: [String(values[0]).toLowerCase()] }
  const forms = field.kind === 'text' ? values.flatMap(formsOf) : values
  switch (operator) {
    case 'null':
      return { sql: `${column} is ${values[0] ? '' : 'not '}null`, values: [] }
    case 'in':
      return isOneOf(forms, column)
    case 'contains':
      throw new Error('`contains` must be compiled with fieldContains, which uses the folded text')
    default:
      if (operator === 'eq' && forms.length > 1) return isOneOf(forms, column)
      if (operator === 'ne' && forms.length > 1)
        return { sql: `not (${isOneOf(forms, column).sql})`, values: [...forms] }
      return { sql: `${column} ${signs[operator]} ?`, values: [...values] }
  }
}

function isOneOf(values: readonly Value[], column: string): Clause {
  return { sql: `${column} in (${values.map(() => '?').join(', ')})`, values: [...values] }
}

/** Email addresses are compared without the case of their ASCII letters (contract §9). */
function isOneOfEmails(values: readonly Value[], column: string): Clause {
  const lowerCase = values.map((value) => String(value).toLowerCase())
  const list = `(${lowerCase.map(() => '?').join(', ')})`
  if (column.startsWith('+')) return { sql: `lower(${column}) in ${list}`, values: lowerCase }
  return { sql: lowerCaseIsIn(column, list), values: [...lowerCase, ...lowerCase] }
}

function declaredName(names: readonly string[], name: Value): string {
  const fieldName = names.find((declared) => declared === name)
  if (fieldName === undefined) throw new Error('this field is not declared as optional')
  return fieldName
}

/** A change before a time means that there is no change at or after it. */
const sinceSigns: Partial<Record<Operator, string>> = { lt: '>=', lte: '>', gte: '>=', gt: '>' }

/** Returns a condition that tests whether the field was last changed before or after a time. The last change is in the
 *  history, unless retention has removed it. The pattern cannot match text inside a value, because quotes in values are
 *  escaped. */
function changedSince(name: string, { operator, values }: Condition, { table, upTo }: ConditionScope): Clause {
  const isBefore = operator === 'lt' || operator === 'lte'
  const change = `select 1 from changes c where c.resource = '${table}' and c.record_id = ${table}.id and c.at ${sinceSigns[operator]} ?
    and c.after like '%"${name}":%'${upTo === undefined ? '' : ' and c.seq <= ?'}`
  const operands = upTo === undefined ? [values[0]!] : [values[0]!, upTo]
  return { sql: `${isBefore ? 'not ' : ''}exists (${change})`, values: operands }
}

/** Returns a condition that tests whether a change set created the record, unless retention has removed its history. When each
 *  row is tested, the condition does not read the whole change set, which may have created a million records. */
function createdIn(condition: Condition, { column, table }: ConditionScope): Clause {
  const { sql, values } = createdIds(table, condition)
  if (column !== '+') return { sql: `id in (${sql})`, values }
  const creation = `select 1 from changes c where c.resource = '${table}' and c.record_id = ${table}.id
    and +c.action = 'create' and +c.change_set = ?`
  return { sql: `exists (${creation})`, values }
}

function createdIds(table: string, { values }: Condition): Clause {
  const sql = `select record_id as id from changes where change_set = ? and resource = '${table}' and action = 'create'`
  return { sql, values: [values[0]!] }
}

/** The maximum number of conditions whose matches are counted. A count takes up to 0.2 ms, or up to 9 ms for a search
 *  with several frequent words. */
const maxCounts = 6

/** If there are fewer matches than this, they are fetched and sorted, which takes about 2.5 µs per match. */
const fewMatches = 1500

/** A walk gives up when it has examined this many rows, which takes up to 4 ms. */
const maxWalkedRows = 1500

/** A condition whose matches can be counted. `counted`: a query with a row for each match, apart from records that are
 *  not in the search index yet. `condition`: the column's condition; absent for a search. */
type Countable = { byIndex: Clause; ids: Clause; counted: Clause; condition?: ColumnCondition }

/** Chooses how SQLite finds a page's records. SQLite has no useful statistics, so the matches of each condition are
 *  counted, up to the number that matters for the choice. The times here are processor time for a page of 50 in 100,000
 *  hardware records (docs/decisions/0010). There are three strategies, which all find the same records: leaves the
 *  choice to SQLite for a small table, which has no indexes to choose from; fetches few matches and sorts them;
 *  otherwise walks the sort index. */
export async function chooseSqlitePlan(list: List): Promise<ListPlan> {
  const { database, resource, query } = list
  const [conditions, texts] = [columnConditions(list), textConditions(list)]
  const order = sortKeys('sqlite', resource, query.sort.field)
  const exact = [...conditions.map(({ byIndex }) => byIndex), ...texts]
  if (exact.length === 0 || !(await hasDeferredIndexes(database, resource))) {
    return { strategy: 'scan', clauses: exact, order, countClauses: exact }
  }
  const sortedColumn = firstIndexedColumn(resource, query.sort.field)
  const candidates = searchCandidates(resource, textsOf(query))
  const countable = [
    ...conditions.flatMap((condition): Countable[] => {
      const { column, byIndex, ids } = condition
      return ids && column !== sortedColumn ? [{ byIndex, ids, counted: ids, condition }] : []
    }),
    ...(candidates ? [{ byIndex: isFoundBy(candidates.all), ids: candidates.all, counted: candidates.indexed }] : []),
  ]
  const { rarest, matches } = await findRarest(database, countable)
  const others = conditions.filter((condition) => condition !== rarest?.condition)
  const fetched = rarest ? [rarest.byIndex, ...others.map(({ byRow }) => byRow), ...texts] : exact
  if (matches < fewMatches) {
    // The sort keys are written so that SQLite cannot walk the sort index instead.
    const sorted = order.map((key) => `+${key}`)
    return { strategy: 'fetch and sort', clauses: fetched, order: sorted, countClauses: fetched }
  }
  const walkClauses = walked(conditions, sortedColumn, texts)
  const counted = isBestByRange(list, conditions, sortedColumn) ? walkClauses : exact
  const countClauses = [...(candidates ? [isFoundBy(candidates.all)] : []), ...counted]
  const walk = { strategy: 'walk', clauses: walkClauses, order, countClauses }
  if (!rarest) return walk
  // In a list by id, an index lists the matches in id order. In any other list, the ids of the matches are collected,
  // and the walk skips all other rows without reading them.
  const clauses =
    query.sort.field === 'id' ? fetched : [isFoundBy(rarest.ids, '+id'), ...walked(others, sortedColumn, texts)]
  const onlyMatches = { strategy: 'walk only the matches', clauses, order, countClauses }
  return { ...walk, fallback: { afterRows: maxWalkedRows, plan: onlyMatches } }
}

/** Returns conditions in a form that allows only the sort field's index to be used. */
function walked(conditions: readonly ColumnCondition[], sortedColumn: string | undefined, texts: Clause[]): Clause[] {
  return [...conditions.map(({ column, byIndex, byRow }) => (column === sortedColumn ? byIndex : byRow)), ...texts]
}

/** Whether all matches are best counted by the index of the sort field: a list by warranty_end with `status[in]=` (four
 *  of six values), `warranty_end[gte]=` and `warranty_end[lte]=` is counted in 5 ms, but SQLite prefers the index of
 *  the values, which takes 60 ms. */
function isBestByRange({ query }: List, conditions: readonly ColumnCondition[], sortedColumn?: string): boolean {
  const hasEquality = query.conditions.some(({ operator }) => operator === 'eq')
  return !hasEquality && conditions.some(({ column }) => column === sortedColumn)
}

/** Returns the condition with the fewest matches, and their number up to `fewMatches`. */
async function findRarest(
  database: Database,
  countable: readonly Countable[],
): Promise<{ rarest: Countable | undefined; matches: number }> {
  let [rarest, matches] = [countable[0], fewMatches]
  for (const condition of countable.slice(0, maxCounts)) {
    const { sql, values } = condition.counted
    const count = `select count(*) as count from (${sql} ${limitClause})`
    const row = await database.get<{ count: number }>(count, [...values, matches])
    if (row!.count < matches) [rarest, matches] = [condition, row!.count]
  }
  return { rarest, matches }
}

/** If there are no statistics, a walk examines this many rows before it falls back. */
const unknownWalkRows = 1500

/** Prevents walks for the rest of the transaction. PostgreSQL would otherwise choose a walk, because it assumes that
 *  trigrams without statistics are frequent. */
const disableWalksSql = `select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`

/** Chooses how PostgreSQL finds a page's records. PostgreSQL's planner makes the choice, except for searches: it would
 *  multiply the frequencies of a word's trigrams as if the trigrams were independent. Without a search, PostgreSQL
 *  chooses the indexes: for `status=lost` by name, it fetches the matches and sorts them. A search with many matches,
 *  such as `q=laptop` by `-purchase_date` with one match in twelve records, fills the page after a walk of about 612
 *  rows. In any other search, such as `q=nowhere`, the search index finds candidates, which it tests and
 *  sorts. */
export async function choosePostgresPlan(list: List): Promise<ListPlan> {
  const { database, resource, query } = list
  const search = await searchOnPostgres(database, resource, textsOf(query))
  const exact = [...columnConditions(list).map(({ byIndex }) => byIndex), ...textConditions(list)]
  const order = sortKeys('postgres', resource, query.sort.field)
  if (!search) return { strategy: 'all conditions', clauses: exact, order, countClauses: exact }
  const clauses = [search.candidates, ...exact]
  const plan = { strategy: 'search', clauses, order, countClauses: clauses }
  const { expected } = search
  if (!expected) return { ...plan, clauses: exact, fallback: { afterRows: unknownWalkRows, plan } }
  const { fraction, records } = expected
  if (fraction * records > breakEven(query, records)) {
    const afterRows = Math.ceil((2 * (query.limit + 1)) / fraction)
    return { ...plan, clauses: exact, fallback: { afterRows, plan } }
  }
  if (records >= deferUntilRows) database.runDeferred(disableWalksSql) // the table has a search index
  return plan
}

/** The cost of examining one row in a walk, relative to the cost of fetching one match, which takes about 2.5 µs. A
 *  walk by id reads the table sequentially; any other walk reads it in random order. */
const rowCosts = { byId: 0.2, byField: 1 }

/** The number of matches at which walking the sort index costs as much as fetching all matches through another index. A
 *  walk examines `(limit + 1) * records / matches` rows until the page is full, so both cost the same if `rowCost *
 *  (limit + 1) * records / matches = matches`. For example, for a page of 50 out of 300,000 records sorted by name:
 *  3,912 matches. */
function breakEven({ limit, sort }: ListQuery, records: number): number {
  const rowCost = sort.field === 'id' ? rowCosts.byId : rowCosts.byField
  return Math.ceil(Math.sqrt(rowCost * (limit + 1) * Math.max(records, 1)))
}
