// Text search on PostgreSQL: a GIN index of trigram hashes (docs/decisions/0010), and estimates of how many records
// match. The estimates come from PostgreSQL's statistics on each trigram. PostgreSQL has no statistics on combinations,
// so its own planner underestimates how often the trigrams of one word occur together.

import type { Clause, Database } from '../../engine/database/database.ts'
import type { Resource } from '../declarations/resource.ts'
import { bigramHashes, choosePair, chooseTrigrams, coveringTrigrams, trigramHashes } from './trigrams.ts'

/** `candidates`: true for the records that may contain the texts. `expected`: the estimated number of records in the
 *  table, and the fraction of them that contains all texts; undefined if the table has no statistics yet. */
export type PostgresSearch = { candidates: Clause; expected: { records: number; fraction: number } | undefined }

/** Returns how to find the records that contain all of these folded texts, or undefined if no text is long enough for
 *  the index. */
export async function searchOnPostgres(
  database: Database,
  resource: Resource,
  texts: readonly string[],
): Promise<PostgresSearch | undefined> {
  if (texts.every((text) => trigramsOf(text).length + pairsOf(text).length === 0)) return undefined
  const frequencies = await readFrequencies(database, resource)
  const candidates = candidatesOf(texts, frequencies)
  if (!candidates) return undefined
  const expected = frequencies && { records: frequencies.records, fraction: fractionOf(texts, frequencies) }
  return { candidates, expected }
}

/** `records`: the approximate number of records in the table. `byTrigram`: the fraction of records that contain a
 *  trigram, by the trigram's hash, for trigrams at least as frequent as `lowest`. */
type Frequencies = { records: number; byTrigram: ReadonlyMap<number, number>; lowest: number }

/** A trigram is not looked up if it is more than this many times as frequent as the rarest one, or as the lowest known
 *  frequency if that is higher. Frequent trigrams cost the most and rule out few records. */
const maxFrequencyRatio = 4

/** Estimates for trigrams without statistics, as a multiple of the lowest known frequency. `trigram`: a single trigram
 *  may be much rarer. `pair`: together, all trigrams that start with the same two letters are about twice as frequent,
 *  because people seldom search for rare pairs of letters. */
const unknownFrequency = { trigram: 1 / 4, pair: 2 }

/** Reads the statistics: the frequencies of about a thousand of the most frequent trigrams, followed by the lowest of
 *  them, and the approximate number of records. */
const statement = `
  select most_common_elems::text as hashes, array_to_json(most_common_elem_freqs)::text as frequencies,
    (select reltuples from pg_class where oid = ?::regclass) as records
  from pg_stats where schemaname = current_schema() and tablename = ? and attname = 'search_grams'`

type StatisticsRow = { hashes: string | null; frequencies: string; records: number }

/** The frequencies by table, cached for the transaction: reading them takes about 1.7 ms, and a search in the panel
 *  looks up several texts. */
const frequencyCache = new WeakMap<Database, Map<string, Promise<Frequencies | undefined>>>()

function readFrequencies(database: Database, { name }: Resource): Promise<Frequencies | undefined> {
  const cached = frequencyCache.get(database) ?? new Map()
  frequencyCache.set(database, cached)
  if (!cached.has(name)) cached.set(name, queryFrequencies(database, name))
  return cached.get(name)!
}

async function queryFrequencies(database: Database, table: string): Promise<Frequencies | undefined> {
  const row = await database.get<StatisticsRow>(statement, [table, table])
  if (!row?.hashes || row.records <= 0) return undefined
  const hashes: number[] = JSON.parse(`[${row.hashes.slice(1, -1)}]`)
  const frequencies: number[] = JSON.parse(row.frequencies)
  const byTrigram = new Map(hashes.map((hash, index) => [hash, frequencies[index]!]))
  return { records: row.records, byTrigram, lowest: frequencies[hashes.length]! }
}

function candidatesOf(texts: readonly string[], frequencies: Frequencies | undefined): Clause | undefined {
  const hashes = trigramHashes(chooseTrigrams(texts))
  if (hashes.length > 0) {
    const rare = frequencies ? rarest(hashes, frequencies) : hashes
    return { sql: 'search_grams @> ?::integer[]', values: [`{${rare}}`] }
  }
  const pair = choosePair(texts)
  return pair === undefined ? undefined : { sql: 'search_grams && ?::integer[]', values: [`{${bigramHashes(pair)}}`] }
}

function rarest(hashes: readonly number[], frequencies: Frequencies): number[] {
  const hashFrequencies = hashes.map((hash) => frequencyOf(hash, frequencies))
  const limit = maxFrequencyRatio * Math.max(frequencies.lowest, Math.min(...hashFrequencies))
  return hashes.filter((_, index) => hashFrequencies[index]! <= limit)
}

function frequencyOf(hash: number, { byTrigram, lowest }: Frequencies): number {
  return byTrigram.get(hash) ?? unknownFrequency.trigram * lowest
}

/** Estimates the fraction of records that contain all texts by multiplying the texts' frequencies. A text is as
 *  frequent as its rarest trigram or, if it has two characters, as the pair. */
function fractionOf(texts: readonly string[], frequencies: Frequencies): number {
  const textFrequencies = texts.map((text) => {
    const trigramFrequencies = trigramsOf(text).map((hash) => frequencyOf(hash, frequencies))
    const pairs = pairsOf(text)
    return Math.min(1, ...trigramFrequencies, ...(pairs.length > 0 ? [frequencyOfPair(pairs, frequencies)] : []))
  })
  return textFrequencies.reduce((one, other) => one * other)
}

function frequencyOfPair(hashes: readonly number[], { byTrigram, lowest }: Frequencies): number {
  return hashes.reduce((sum, hash) => sum + (byTrigram.get(hash) ?? 0), unknownFrequency.pair * lowest)
}

function trigramsOf(text: string): number[] {
  return trigramHashes(coveringTrigrams(text))
}

function pairsOf(text: string): number[] {
  return [...text].length === 2 ? bigramHashes(text) : []
}
