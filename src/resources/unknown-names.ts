// Finds the unknown members of an object that a client sent, for clients that want them rejected (contract §14).

import { editDistance } from '../lib/edit-distance.ts'

/** How unknown members are treated (RFC 7240 §4.4): rejected, or ignored. */
export type Handling = 'strict' | 'lenient'

/** How many unknown members are listed. A body of 64 KB has room for thousands, and each takes 150 bytes of the response. */
const listedLimit = 100

/** The members of an object that are not known, in its order, each with the known name that is most like it. `unlisted`: how
 *  many more there are after the first 100. */
export function unknownNames(
  given: object,
  known: readonly string[],
): { listed: { name: string; nearest: string }[]; unlisted: number } {
  const names = new Set(known)
  const unknown = Object.keys(given).filter((name) => !names.has(name))
  const listed = unknown.slice(0, listedLimit).map((name) => ({ name, nearest: nearestName(name, known) }))
  return { listed, unlisted: unknown.length - listed.length }
}

/** Longer names are compared by their beginning, so that the time stays proportional to the size of the body. */
const comparedLength = 40

/** The known name with the fewest edits, ignoring case; the first of several. */
function nearestName(name: string, known: readonly string[]): string {
  const given = name.slice(0, comparedLength).toLowerCase()
  let nearest = known[0]!
  let least = Number.POSITIVE_INFINITY
  for (const each of known) {
    if (Math.abs(each.length - given.length) >= least) continue // at least as many edits as the lengths differ
    const distance = editDistance(given, each)
    if (distance < least) [nearest, least] = [each, distance]
  }
  return nearest
}
