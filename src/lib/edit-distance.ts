// The edit distance between two words, to suggest the name that was probably meant.

/** The smallest number of edits that turn one word into the other: a letter inserted, removed, replaced, or swapped
 *  with its neighbour. */
export function editDistance(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, index) => [index])
  rows[0] = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    for (let j = 1; j <= other.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + Number(one[i - 1] !== other[j - 1])
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const swapped = isSwap ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY
      rows[i]![j] = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, replaced, swapped)
    }
  }
  return rows[one.length]![other.length]!
}
