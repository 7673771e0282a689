// Chooses the trigrams that a search looks up in the index. The index only finds candidates; the search then checks
// each candidate.

import { coveringTrigrams } from './fold.ts'

/** The maximum number of trigrams looked up for one search. */
const maxTrigrams = 16

/** Returns at most `maxTrigrams` trigrams that every match contains, spread evenly over the texts. */
export function chooseTrigrams(texts: readonly string[]): string[] {
  const grams = [...new Set(texts.flatMap(coveringTrigrams))]
  const step = Math.max(1, grams.length / maxTrigrams)
  return Array.from({ length: Math.min(grams.length, maxTrigrams) }, (_, index) => grams[Math.floor(index * step)]!)
}

/** Returns the first text that has exactly two characters. Wherever such a text occurs, a trigram starts with it,
 *  because the indexed text ends with a separator. The same is not true of a single character. */
export function choosePair(texts: readonly string[]): string | undefined {
  return texts.find((text) => [...text].length === 2)
}
