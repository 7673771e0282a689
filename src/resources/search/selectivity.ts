// How likely a record holds the texts of a search, by what PostgreSQL keeps of a table: how often each trigram stands in the
// records that it has looked at lately. Of trigrams together it knows nothing, and takes those of one word for rarer than they are.

import type { Database } from '../../database/database.ts'
import type { Resource } from '../resource.ts'
import { bigramHashes, coveringTrigrams, trigramHashes } from './fold.ts'

/** `records`: how many the table has, about. `part`: of them that holds all the texts. `ofNumber`: that holds one trigram, which is
 *  known for those above the `lowest` only. */
export type Selectivity = { records: number; part: number; lowest: number; ofNumber(number: number): number }

/** What is not among the most frequent may be much rarer than the last that is; all the trigrams of two letters together may be
 *  twice as frequent, and mostly are: few look for letters that are seldom side by side. */
const unknownFrequency = { trigram: 1 / 4, pair: 2 }

/** The frequencies of those numbers that are among the thousand or so most frequent; behind these PostgreSQL notes the lowest
 *  of them. */
const statement = `
  with s as materialized (
    select most_common_elems::text::integer[] as numbers, most_common_elem_freqs as frequencies from pg_stats
    where schemaname = current_schema() and tablename = ? and attname = 'search_grams'
  )
  select c.reltuples as records, s.frequencies[cardinality(s.numbers) + 1] as lowest, (
    select json_object_agg(number, frequency)::text from unnest(s.numbers, s.frequencies) listed (number, frequency)
    where number = any(?::integer[])
  ) as frequencies
  from s, pg_class c where c.oid = ?::regclass`

/** Undefined where the server has not looked at the table yet, and where no text has two letters. */
export async function oddsOf(
  database: Database,
  { name }: Resource,
  texts: readonly string[],
): Promise<Selectivity | undefined> {
  const numbersOf = texts.map((text) => trigramHashes(coveringTrigrams(text)))
  const pairs = texts.map((text) => ([...text].length === 2 ? bigramHashes(text) : []))
  const asked = [...new Set([...numbersOf, ...pairs].flat())]
  if (asked.length === 0) return undefined
  const row = await database.get(statement, [name, `{${asked}}`, name])
  if (!row?.lowest || (row.records as number) <= 0) return undefined
  const frequencies: Record<number, number> = JSON.parse((row.frequencies as string | null) ?? '{}')
  const [records, lowest] = [row.records as number, row.lowest as number]
  const ofNumber = (number: number) => frequencies[number] ?? unknownFrequency.trigram * lowest
  const ofPair = (numbers: readonly number[]) =>
    numbers.reduce((sum, number) => sum + (frequencies[number] ?? 0), unknownFrequency.pair * lowest)
  const ofTexts = texts.map((_, at) => {
    const pair = pairs[at]!
    return Math.min(1, ...numbersOf[at]!.map(ofNumber), ...(pair.length > 0 ? [ofPair(pair)] : []))
  })
  return { records, part: ofTexts.reduce((one, other) => one * other), lowest, ofNumber }
}
