// How the records of a page are found. PostgreSQL knows by its statistics. SQLite keeps none, so the ways are tried by counting a
// little: few matches are fetched and sorted; where there are many, a page is soon full in walking the order.

import type { Database } from '../database.ts'
import { type Filter, filtersOf, type ListField } from './filters.ts'
import { clauseOf, columnOf, fieldHolds, holdsWord } from './list-clauses.ts'
import type { Condition, ListQuery } from './list-query.ts'
import { isIndexed, type Resource, type Resources } from './resource.ts'
import { type Clause, candidates } from './search-index.ts'

/** The clauses of a `where`, and the columns to order by. */
export type Plan = { clauses: Clause[]; sort: string; tie: string }

/** A condition that an index may serve. `probe` gives a row for each match. */
type Part = { column: string; clause: (column: string) => Clause; probe: Clause | null; isEqual: boolean }

/** Up to so many matches, fetching and sorting them is faster than a walk past those that do not match. */
const fewMatches = 3000
/** The same where no index has the order, so that a walk is the whole table, sorted. */
const fewMatchesUnordered = 50_000
/** Conditions that are tried; each takes about as long as a page. */
const mostProbes = 6

export async function choosePlan(
  database: Database,
  resource: Resource,
  resources: Resources,
  query: ListQuery,
): Promise<Plan> {
  const parts = partsOf(resource, resources, query)
  const texts = textClauses(database.engine, resource, query)
  const found = candidates(database.engine, resource, textsOf(query))
  if (database.engine === 'postgres') {
    const clauses = [...parts.map((part) => part.clause(part.column)), ...(found ? [found.condition] : []), ...texts]
    return { clauses, sort: query.sort.field, tie: 'id' }
  }
  const search: Part[] = found
    ? [{ column: '', clause: () => found.condition, probe: found.probe, isEqual: false }]
    : []
  const driver = await chooseDriver(database, resource, query, [...parts, ...search])
  const others = parts.filter((part) => part !== driver)
  if (!driver)
    return { clauses: [...others.map((part) => walked(part, query)), ...texts], sort: query.sort.field, tie: 'id' }
  const clauses = [driver.clause(driver.column), ...others.map((part) => part.clause(`+${part.column}`)), ...texts]
  if (driver.isEqual && query.sort.field === 'id') return { clauses, sort: 'id', tie: 'id' } // its index is in that order
  return { clauses, sort: `+${query.sort.field}`, tie: '+id' }
}

/** `+column` is a value to SQLite, and no index is used for it. Only the index that is walked may help. */
function walked(part: Part, { sort }: ListQuery): Clause {
  return part.clause(part.column === sort.field ? part.column : `+${part.column}`)
}

/** The condition whose matches are fetched: the one with the fewest, if they are few. */
async function chooseDriver(
  database: Database,
  resource: Resource,
  { sort }: ListQuery,
  parts: Part[],
): Promise<Part | undefined> {
  const isOrdered = sort.field === 'id' || !(sort.field in resource.fields) || isIndexed(resource.fields[sort.field]!)
  let [driver, fewest] = [undefined as Part | undefined, isOrdered ? fewMatches : fewMatchesUnordered]
  for (const part of parts.filter(({ probe, column }) => probe && column !== sort.field).slice(0, mostProbes)) {
    const { sql, values } = part.probe!
    const row = await database.get(`select count(*) as count from (${sql} limit ?)`, [...values, fewest])
    const count = row!.count as number
    if (count < fewest) [driver, fewest] = [part, count]
  }
  return driver ?? (sort.field === 'id' ? parts.find(({ isEqual }) => isEqual) : undefined)
}

function partsOf(resource: Resource, resources: Resources, { conditions }: ListQuery): Part[] {
  const { filters } = filtersOf(resource, resources)
  return conditions.flatMap((condition): Part[] => {
    const filter = filters.find(({ name }) => name === condition.filter)!
    if (condition.operator === 'contains') return []
    const clause = (column: string) => clauseOf(filter, condition, column)
    const column = columnOf(filter)
    if (!isServed(filter, condition)) return [{ column, clause, probe: null, isEqual: false }]
    const { sql, values } = clause(column)
    const probe = { sql: `select 1 from ${resource.name} where ${sql}`, values }
    return [{ column, clause, probe, isEqual: condition.operator === 'eq' && !filter.through }]
  })
}

/** Whether an index finds the matches. */
function isServed(filter: Filter, { operator, values }: Condition): boolean {
  if (operator === 'ne' || (operator === 'null' && !values[0])) return false
  return filter.through !== undefined || isIndexedField(filter.field)
}

function isIndexedField(field: ListField): boolean {
  return field.kind === 'id' || field.kind === 'timestamp' || isIndexed(field)
}

/** The folded texts that a record must hold. */
function textsOf({ words, conditions }: ListQuery): string[] {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  return [...words, ...contained.flatMap(({ values }) => values as string[])]
}

/** What decides in the end: an index of trigrams only gives candidates. */
function textClauses(engine: Database['engine'], resource: Resource, { words, conditions }: ListQuery): Clause[] {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  return [
    ...words.map((word) => holdsWord(engine, word)),
    ...contained.map(({ filter, values }) => fieldHolds(engine, resource, filter, values[0] as string)),
  ]
}
