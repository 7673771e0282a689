// Finds the unknown members of an object that a client sent, for clients that want them rejected (contract §14).

import { editDistance } from '../lib/edit-distance.ts'

/** How unknown members are treated (RFC 7240 §4.4): rejected, or ignored. */
export type Handling = 'strict' | 'lenient'

/** The members of an object that are not known, in its order, each with the known name that is most like it. */
export function unknownNames(given: object, known: readonly string[]): { name: string; nearest: string }[] {
  const names = new Set(known)
  const unknown = Object.keys(given).filter((name) => !names.has(name))
  return unknown.map((name) => ({ name, nearest: nearestName(name, known) }))
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
