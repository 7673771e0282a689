// Finds a resource's records that match a few words, best match first. This is for people who are looking for one
// record. A list with `q`, by contrast, contains all matches in the list's sort order.

import type { Clause, Database } from '../../engine/database/database.ts'
import { fieldsOf, isCode, type Resource, type Resources } from '../declarations/resource.ts'
import { choosePlan, readPage } from '../lists/page.ts'
import type { Condition, List, ListPlan, ListQuery } from '../lists/query.ts'
import { searchedFields } from '../lists/request/options.ts'
import { searchColumn, separatorOf, wordsOf } from '../search/fold.ts'
import { compactCode } from './fold.ts'
import { relatedLists } from './related.ts'

/** `conditions`: the conditions that the records must meet. `timeoutMs`: as in ListQuery. */
export type Search = { text: string; conditions: readonly Condition[]; timeoutMs: number }

/** `ids`: at most `maxMatches` ids, the best match first. `exact`: the ids of records in which a code (such as an asset
 *  tag) or an email address equals the text. `hasMore`: whether more records match. */
export type Found = { ids: number[]; exact: number[]; hasMore: boolean }

/** The maximum number of matches returned: nobody looks through more. */
export const maxMatches = 500

/** The maximum number of records that a search without words returns. */
const maxNewest = 50

/** The maximum number of words in a search. Further words are ignored. */
const maxWords = 10

/** Finds the best matches, or the newest records if the text contains no words. */
export async function findMatches(
  database: Database,
  resource: Resource,
  resources: Resources,
  { text, conditions, timeoutMs }: Search,
): Promise<Found> {
  const phrase = wordsOf(text).join(' ')
  const words = wordsOf(text).slice(0, maxWords)
  const list = { database, resource, resources, query: newestFirst(conditions, timeoutMs) } // without the words
  if (words.length === 0) return findNewest(list)
  const matches = await matchesWithWords(list, words)
  const others = await matchesWithoutPunctuation(list, phrase)
  const best = matches.length > maxMatches ? await bestOfMany(list, phrase) : []
  const direct = rankMatches(resource, phrase, [...best, ...others, ...matches])
  const related = direct.length > maxMatches ? [] : await matchesByRelatedTitles(list, words)
  const ids = [...new Set([...direct.map(({ id }) => id), ...related.map(({ id }) => id)])]
  const exact = direct.filter(({ rank }) => rank === ranks.exact).map(({ id }) => id)
  return { ids: ids.slice(0, maxMatches), exact: [...new Set(exact)], hasMore: ids.length > maxMatches }
}

async function findNewest(list: List): Promise<Found> {
  const newest = { ...list, query: { ...list.query, limit: maxNewest } }
  const matches = await readMatches(newest, await choosePlan(newest))
  const ids = matches.map(({ id }) => id).slice(0, maxNewest)
  return { ids, exact: [], hasMore: matches.length > maxNewest }
}

/** A query for the newest records that meet the conditions. */
export function newestFirst(conditions: readonly Condition[], timeoutMs: number): ListQuery {
  const sort = { field: 'id', isDescending: true }
  return { limit: maxMatches, sort, conditions, words: [], includes: {}, after: null, withTotal: false, timeoutMs }
}

type Match = { id: number; text: string }

async function matchesWithWords(list: List, words: string[]): Promise<Match[]> {
  const listWithWords = { ...list, query: { ...list.query, words } }
  return readMatches(listWithWords, await choosePlan(listWithWords))
}

/** Finds the records that contain the search text without its punctuation, so that a search for `TD-0004` also finds
 *  the code `TD0004`. */
async function matchesWithoutPunctuation(list: List, phrase: string): Promise<Match[]> {
  const compactPhrase = compactCode(phrase)
  const hasCodes = Object.values(list.resource.fields).some(isCode)
  if (compactPhrase === phrase || compactPhrase.length < 3 || !hasCodes) return []
  const matches = await matchesWithWords(list, [compactPhrase])
  return matches.slice(0, maxMatches)
}

/** If a search has more matches than can be ranked, returns those that would rank first. */
async function bestOfMany(list: List, phrase: string): Promise<Match[]> {
  const { resource } = list
  const exact = exactTexts(resource, phrase).map((text) => matchesWithWords(list, [text]))
  const beginning = titleBeginnings(resource, phrase).map((text) => matchesWithWords(list, [text]))
  return (await Promise.all([...exact, ...beginning])).flat()
}

/** Finds records by their own text and the titles of the records they refer to: each word must occur in one of these. */
async function matchesByRelatedTitles(list: List, words: string[]): Promise<Match[]> {
  const matches: Match[] = []
  for (const related of await relatedLists(list, words))
    matches.push(...(await readMatches(related.list, related.plan)))
  return matches
}

async function readMatches(list: List, plan: ListPlan): Promise<Match[]> {
  list.database.setBudget(list.query.timeoutMs)
  const select: Clause = { sql: `select id || ' ' || ${searchColumn}`, values: [] }
  const rows = await readPage(list, plan, select)
  return rows.map((row) => {
    const space = row.indexOf(' ')
    return { id: Number(row.slice(0, space)), text: row.slice(space + 1) }
  })
}

const ranks = { exact: 0, title: 1, beginning: 2, other: 3 }

/** Sorts the matches and removes duplicates: exact matches come first, then matches whose title is the text, then those
 *  whose title begins with it, then all other matches. */
function rankMatches(resource: Resource, phrase: string, matches: Match[]): (Match & { rank: number })[] {
  const exact = exactTexts(resource, phrase)
  const beginnings = titleBeginnings(resource, phrase)
  const titles = beginnings.map((part) => part + part[0]!) // a separator precedes and follows each field
  const rankOf = ({ text }: Match) => {
    if (exact.some((part) => text.includes(part))) return ranks.exact
    if (titles.some((part) => text.includes(part))) return ranks.title
    return beginnings.some((part) => text.includes(part)) ? ranks.beginning : ranks.other
  }
  const distinct = [...new Map(matches.map((match) => [match.id, match])).values()]
  return distinct.map((match) => ({ ...match, rank: rankOf(match) })).toSorted((one, other) => one.rank - other.rank)
}

/** Returns the strings that identify an exact match: a record whose code or email address equals the phrase has one of
 *  these strings in its search text. */
function exactTexts(resource: Resource, phrase: string): string[] {
  return fieldsOf(resource).flatMap(([name, field]) => {
    if (!isCode(field) && field.kind !== 'email') return []
    const separator = separatorOf(resource, name)
    return separator + ((isCode(field) && compactCode(phrase)) || phrase) + separator
  })
}

function titleBeginnings(resource: Resource, phrase: string): string[] {
  const fields = searchedFields(resource)
  return (resource.title ?? [])
    .filter((name) => fields.includes(name))
    .map((name) => separatorOf(resource, name) + phrase)
}
