// The edit distance between two words, to suggest the name that was probably meant.

/** Returns the smallest number of edits that turn one word into the other. An edit inserts, removes or replaces a
 *  letter, or swaps it with the next one. */
export function editDistance(first: string, second: string): number {
  const rows = Array.from({ length: first.length + 1 }, (_, index) => [index])
  rows[0] = Array.from({ length: second.length + 1 }, (_, index) => index)
  for (let i = 1; i <= first.length; i++) {
    for (let j = 1; j <= second.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + Number(first[i - 1] !== second[j - 1])
      const isSwap = i > 1 && j > 1 && first[i - 1] === second[j - 2] && first[i - 2] === second[j - 1]
      const swapped = isSwap ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY
      rows[i]![j] = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, replaced, swapped)
    }
  }
  return rows[first.length]![second.length]!
}
