// The trigrams of a text, and those that a search looks up in the index. The index only finds candidates; the search
// then checks each candidate.

/** Returns all sequences of three characters, without duplicates. Text with fewer than three characters has no
 *  trigrams. */
export function trigrams(text: string): string[] {
  const characters = [...text]
  return [...new Set(characters.slice(2).map((last, index) => characters[index]! + characters[index + 1]! + last))]
}

/** Returns the trigrams that a search may look up: every second one, and the last. Looking up the other trigrams too
 *  would double the cost, but rule out few more records. */
export function coveringTrigrams(text: string): string[] {
  const characters = [...text]
  const last = characters.length - 3
  if (last < 0) return []
  const starts = [...Array.from({ length: Math.ceil(last / 2) }, (_, index) => index * 2), last]
  return [...new Set(starts.map((start) => characters[start]! + characters[start + 1]! + characters[start + 2]!))]
}

/** The number of bits in a trigram's hash that come from its last character. The other bits come from the first two
 *  characters. */
const lastBits = 6

/** Hashes trigrams to 32-bit integers, for an index that supports only integers. Collisions are possible. */
export function trigramHashes(grams: readonly string[]): number[] {
  const hashes = grams.map((gram) => {
    const [first = '', second = '', last = ''] = gram
    return combineHashes(hashOf(first + second), hashOf(last))
  })
  return [...new Set(hashes)]
}

/** The hashes of all trigrams that start with these two characters. */
export function bigramHashes(pair: string): number[] {
  return Array.from({ length: 1 << lastBits }, (_, last) => combineHashes(hashOf(pair), last))
}

function combineHashes(pair: number, last: number): number {
  return (pair << lastBits) | (last & ((1 << lastBits) - 1))
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5 // FNV-1a
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash ^ (hash >>> 16)
}

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
