// Finds the unknown members of an object, for a client that asked to have them rejected (contract §14).

import { editDistance } from '../lib/edit-distance.ts'

/** How unknown members are treated (RFC 7240 §4.4): `strict` rejects them, `lenient` ignores them. */
export type Handling = 'strict' | 'lenient'

/** The maximum number of unknown members listed. A body of 64 KB can contain thousands of them, and each takes 150
 *  bytes of the response. */
const listedLimit = 100

/** Finds the first 100 unknown members of an object, in the object's order, each with the most similar known name.
 *  `unlisted`: the number of further unknown members. */
export function unknownNames(
  object: object,
  known: readonly string[],
): { listed: { name: string; nearest: string }[]; unlisted: number } {
  const names = new Set(known)
  const unknown = Object.keys(object).filter((name) => !names.has(name))
  const listed = unknown.slice(0, listedLimit).map((name) => ({ name, nearest: nearestName(name, known) }))
  return { listed, unlisted: unknown.length - listed.length }
}

/** Only this many characters of a name are compared, so that the time stays proportional to the size of the body. */
const comparedLength = 40

/** Returns the known name with the smallest edit distance, ignoring case. If several names have the same distance,
 *  returns the first such name. */
function nearestName(name: string, known: readonly string[]): string {
  const compared = name.slice(0, comparedLength).toLowerCase()
  let nearest = known[0]!
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    if (Math.abs(candidate.length - compared.length) >= least) continue // the distance is at least the difference in length
    const distance = editDistance(compared, candidate)
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest
}
