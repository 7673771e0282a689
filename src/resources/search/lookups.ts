// Chooses the trigrams that a search looks up in the index. They only find candidates; the search then checks each
// candidate.

import { coveringTrigrams } from './fold.ts'

/** The maximum number of trigrams looked up for one search. */
const maxTrigrams = 16

/** Trigrams that every match contains, at most `maxTrigrams`, spread evenly over the texts. */
export function chooseTrigrams(texts: readonly string[]): string[] {
  const grams = [...new Set(texts.flatMap(coveringTrigrams))]
  const step = Math.max(1, grams.length / maxTrigrams)
  return Array.from({ length: Math.min(grams.length, maxTrigrams) }, (_, index) => grams[Math.floor(index * step)]!)
}

/** Returns a text of two characters. Such a text always starts a trigram, because the indexed text ends with a
 *  separator; a single character might not. */
export function choosePair(texts: readonly string[]): string | undefined {
  return texts.find((text) => [...text].length === 2)
}
