// Chooses the trigrams that a search looks up in the index. They only find candidates; the search then checks each of them.

import { coveringTrigrams } from './fold.ts'

/** The maximum number of trigrams looked up for one search. */
const maxTrigrams = 16

/** Trigrams that every match contains, at most `maxTrigrams`, spread evenly over the texts. */
export function lookedUpTrigrams(texts: readonly string[]): string[] {
  const grams = [...new Set(texts.flatMap(coveringTrigrams))]
  const step = Math.max(1, grams.length / maxTrigrams)
  return Array.from({ length: Math.min(grams.length, maxTrigrams) }, (_, at) => grams[Math.floor(at * step)]!)
}

/** A text of two characters. It is always the start of a trigram, because the indexed text ends with a separator. A single
 *  character may not be. */
export function lookedUpPair(texts: readonly string[]): string | undefined {
  return texts.find((text) => [...text].length === 2)
}
