// Finds records by the titles of the records that they refer to, for example a person's assets or a branch's people.

import { allOf, type Clause, type Database, limitClause, type Value } from '../../engine/database/database.ts'
import { isOneOf } from '../../engine/database/statements.ts'
import { type Resource, type Resources, referencesOf, resourceNamed } from '../declarations/resource.ts'
import { choosePlan, restrictPlan } from '../lists/page.ts'
import { columnConditions } from '../lists/plan.ts'
import type { List, ListPlan } from '../lists/query.ts'
import { searchedFields } from '../lists/request/options.ts'
import { hasDeferredIndexes } from '../schema/derived.ts'
import { searchCandidates } from '../search/index.ts'
import { searchOnPostgres } from '../search/postgres.ts'
import { containsWord, fieldContains } from './fold.ts'
import { isFoundBy } from './index.ts'

/** If at most this many titles contain a word, the ids of the records with these titles are collected. If more titles
 *  contain it, each record is tested instead. */
const maxCollected = 3000

/** A word that occurs in titles of related records. `count`: the number of titles that contain the word, counted up to
 *  `maxCollected + 1`. `condition`: true for records that refer to a record with one of these titles. */
type RelatedWord = { word: string; count: number; condition: Clause }

type PlannedList = { list: List; plan: ListPlan }

/** Returns lists that together find every record in which each word occurs, either in the record's own text or in the
 *  title of a record it refers to. Usually, one list contains the records that have the rarest word in a related title,
 *  and another list those that have this word in their own text. If more than `maxCollected` titles contain the word,
 *  there is only one list. If no title contains any of the words, there are no lists. */
export async function relatedLists(list: List, words: string[]): Promise<PlannedList[]> {
  const related: RelatedWord[] = []
  for (const word of words) related.push(...(await relatedWords(list, word)))
  const [rarest] = related.toSorted((one, other) => one.count - other.count)
  if (!rarest) return []
  // each word must be in the record's own text or in the title of a record that it refers to
  const tests = words.map((word) => {
    const inTitles = related.filter((each) => each.word === word).map(({ condition }) => condition)
    return anyOf([containsWord(list.database.engine, word), ...inTitles])
  })
  const ownWords = words.filter((word) => !related.some((inTitles) => inTitles.word === word))
  if (rarest.count > maxCollected) return [await planOwnText(list, ownWords, tests)]
  const columns = columnConditions(list).map(({ byIndex }) => byIndex)
  const clauses = [rarest.condition, ...columns, ...tests]
  const collected: ListPlan = { strategy: 'collect', clauses, countClauses: [], order: ['+id'] }
  return [{ list, plan: collected }, await planOwnText(list, [...ownWords, rarest.word], tests)]
}

/** Plans a list of the records that have these words in their own text and meet the tests. */
async function planOwnText(list: List, words: string[], tests: Clause[]): Promise<PlannedList> {
  const listWithWords = { ...list, query: { ...list.query, words } }
  return { list: listWithWords, plan: restrictPlan(await choosePlan(listWithWords), tests) }
}

/** Finds the titles with the word. Returns one result for each reference that leads to such titles. */
async function relatedWords({ database, resource, resources }: List, word: string): Promise<RelatedWord[]> {
  const search = { database, resources, word }
  const wordsInTitles: RelatedWord[] = []
  for (const reference of referencesOf(resource)) {
    const titled = await selectTitledIds(search, resourceNamed(resources, reference.to))
    const ids = await database.texts(`select cast(id as text) from (${titled.sql}) titled ${limitClause}`, [
      ...titled.values,
      maxCollected + 1,
    ])
    if (ids.length === 0) continue
    const isCollected = ids.length <= maxCollected
    const condition = isCollected
      ? isOneOf(database.engine, reference.name, ids)
      : refersToTitled(search, resource, reference)
    wordsInTitles.push({ word, count: ids.length, condition })
  }
  return wordsInTitles
}

type TitleSearch = { database: Database; resources: Resources; word: string }

/** Returns a query for the ids of records that have this word in their own title, or in the title of a record that they
 *  refer to. */
async function selectTitledIds(search: TitleSearch, resource: Resource): Promise<Clause> {
  const { database, resources, word } = search
  const ownTitle = [...(await searchConditions(database, resource, [word])), titleContains(database, resource, word)]
  const queries = [selectIds(resource, ownTitle)]
  for (const { name, to } of referencesOf(resource)) {
    const titled = await selectTitledIds(search, resourceNamed(resources, to))
    queries.push(selectIds(resource, [{ sql: `${name} in (${titled.sql})`, values: titled.values }]))
  }
  return { sql: queries.map(({ sql }) => sql).join(' union all '), values: valuesOf(queries) }
}

function selectIds({ name }: Resource, clauses: Clause[]): Clause {
  const { sql, values } = allOf(clauses)
  return { sql: `select id from ${name} where ${sql}`, values }
}

/** Returns a condition that uses the search index to find candidates for records with all folded words of one of the
 *  alternatives, or no condition if the index cannot find them. */
export async function searchConditions(
  database: Database,
  resource: Resource,
  ...alternatives: (readonly string[])[]
): Promise<Clause[]> {
  if (!(await hasDeferredIndexes(database, resource))) return []
  if (database.engine === 'sqlite') {
    const candidates = searchCandidates(resource, ...alternatives)
    return candidates ? [isFoundBy(candidates.all)] : []
  }
  const found: Clause[] = []
  for (const words of alternatives) {
    const search = await searchOnPostgres(database, resource, words)
    if (!search) return []
    found.push(search.candidates)
  }
  return [anyOf(found)]
}

/** Like `selectTitledIds`, but as a condition that tests one record. */
function refersToTitled(search: TitleSearch, resource: Resource, reference: { name: string; to: string }): Clause {
  const { database, resources, word } = search
  const to = resourceNamed(resources, reference.to)
  const deeper = referencesOf(to).map((next) => refersToTitled(search, to, next))
  const titled = anyOf([titleContains(database, to, word), ...deeper])
  return {
    sql: `exists (select 1 from ${to.name} where ${to.name}.id = ${resource.name}.${reference.name} and ${titled.sql})`,
    values: titled.values,
  }
}

function titleContains({ engine }: Database, resource: Resource, word: string): Clause {
  const searched = searchedFields(resource)
  const names = (resource.title ?? []).filter((name) => searched.includes(name))
  return anyOf(names.map((name) => fieldContains(engine, resource, name, word)))
}

export function anyOf(clauses: readonly Clause[]): Clause {
  return { sql: `(${clauses.map(({ sql }) => `(${sql})`).join(' or ')})`, values: valuesOf(clauses) }
}

function valuesOf(clauses: readonly Clause[]): Value[] {
  return clauses.flatMap(({ values }) => values)
}
