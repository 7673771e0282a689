// Text search on PostgreSQL: a GIN index of the hashes of trigrams (docs/decisions/0010), and estimates of how many records match.
// The estimates come from PostgreSQL's statistics on each trigram. It has none on combinations, and underestimates how often the
// trigrams of one word occur together.

import type { Database } from '../../database/database.ts'
import type { Resource } from '../resource.ts'
import { bigramHashes, coveringTrigrams, trigramHashes } from './fold.ts'
import type { Clause } from './index.ts'
import { lookedUpPair, lookedUpTrigrams } from './lookups.ts'

/** `candidates`: true for the records that may contain the texts. `expected`: the estimated number of records in the table, and
 *  the fraction of them that contains all texts; undefined if the table has no statistics yet. */
export type PostgresSearch = { candidates: Clause; expected: { records: number; fraction: number } | undefined }

/** Searches for records that contain all of these folded texts. Undefined if no text is long enough for the index. */
export async function searchOnPostgres(
  database: Database,
  resource: Resource,
  texts: readonly string[],
): Promise<PostgresSearch | undefined> {
  const frequencies = await readFrequencies(database, resource, texts)
  const candidates = candidatesOf(texts, frequencies)
  if (!candidates) return undefined
  const expected = frequencies && { records: frequencies.records, fraction: fractionOf(texts, frequencies) }
  return { candidates, expected }
}

/** `records`: the approximate number of records in the table. `known`: the fraction of them that contains a trigram, by its
 *  hash; known only for trigrams at least as frequent as `lowest`. */
type Frequencies = { records: number; known: Record<number, number>; lowest: number }

/** A trigram is not looked up if it is this many times as frequent as the rarest one: it costs most and rules out little. */
const maxFrequencyRatio = 4

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

async function readFrequencies(
  database: Database,
  { name }: Resource,
  texts: readonly string[],
): Promise<Frequencies | undefined> {
  const hashes = [...new Set(texts.flatMap((text) => [...trigramsOf(text), ...pairsOf(text)]))]
  if (hashes.length === 0) return undefined
  const row = await database.get(statement, [name, `{${hashes}}`, name])
  if (!row?.lowest || (row.records as number) <= 0) return undefined
  const known = JSON.parse((row.frequencies as string | null) ?? '{}')
  return { records: row.records as number, known, lowest: row.lowest as number }
}

function candidatesOf(texts: readonly string[], frequencies: Frequencies | undefined): Clause | undefined {
  const hashes = trigramHashes(lookedUpTrigrams(texts))
  if (hashes.length > 0) {
    const rare = frequencies ? rarest(hashes, frequencies) : hashes
    return { sql: 'search_grams @> ?::integer[]', values: [`{${rare}}`] }
  }
  const pair = lookedUpPair(texts)
  return pair === undefined ? undefined : { sql: 'search_grams && ?::integer[]', values: [`{${bigramHashes(pair)}}`] }
}

function rarest(hashes: readonly number[], frequencies: Frequencies): number[] {
  const ofEach = hashes.map((hash) => frequencyOf(hash, frequencies))
  const most = maxFrequencyRatio * Math.max(frequencies.lowest, Math.min(...ofEach))
  return hashes.filter((_, at) => ofEach[at]! <= most)
}

function frequencyOf(hash: number, { known, lowest }: Frequencies): number {
  return known[hash] ?? unknownFrequency.trigram * lowest
}

/** The product over the texts of the frequency of the rarest trigram of each. */
function fractionOf(texts: readonly string[], frequencies: Frequencies): number {
  const ofTexts = texts.map((text) => {
    const ofTrigrams = trigramsOf(text).map((hash) => frequencyOf(hash, frequencies))
    const pairs = pairsOf(text)
    return Math.min(1, ...ofTrigrams, ...(pairs.length > 0 ? [frequencyOfPair(pairs, frequencies)] : []))
  })
  return ofTexts.reduce((one, other) => one * other)
}

function frequencyOfPair(hashes: readonly number[], { known, lowest }: Frequencies): number {
  return hashes.reduce((sum, hash) => sum + (known[hash] ?? 0), unknownFrequency.pair * lowest)
}

function trigramsOf(text: string): number[] {
  return trigramHashes(coveringTrigrams(text))
}

function pairsOf(text: string): number[] {
  return [...text].length === 2 ? bigramHashes(text) : []
}
