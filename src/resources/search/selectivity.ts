// Estimates how many records contain the texts of a search, from PostgreSQL's statistics on the frequency of each trigram.
// PostgreSQL has no statistics on combinations, and underestimates how often the trigrams of one word occur together.

import type { Database } from '../../database/database.ts'
import type { Resource } from '../resource.ts'
import { bigramHashes, coveringTrigrams, trigramHashes } from './fold.ts'

/** `records`: the approximate number of records in the table. `part`: the fraction of them that contains all the texts.
 *  `ofNumber`: the fraction that contains a trigram; known only for trigrams at least as frequent as `lowest`. */
export type Selectivity = { records: number; part: number; lowest: number; ofNumber(number: number): number }

/** Estimates for trigrams without statistics, as a multiple of the lowest known frequency. A single one may be much rarer.
 *  All trigrams that start with two letters together are mostly about twice as frequent: few people search for letters that
 *  rarely follow each other. */
const unknownFrequency = { trigram: 1 / 4, pair: 2 }

/** Returns the frequencies of those hashes that are among the most frequent (about a thousand). PostgreSQL appends the
 *  lowest of these frequencies to the array. */
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

/** Undefined if the table has no statistics yet, or if all texts are shorter than two characters. */
export async function oddsOf(
  database: Database,
  { name }: Resource,
  texts: readonly string[],
): Promise<Selectivity | undefined> {
  const numbersOf = texts.map((text) => trigramHashes(coveringTrigrams(text)))
  const pairs = texts.map((text) => ([...text].length === 2 ? bigramHashes(text) : []))
  const hashes = [...new Set([...numbersOf, ...pairs].flat())]
  if (hashes.length === 0) return undefined
  const row = await database.get(statement, [name, `{${hashes}}`, name])
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
