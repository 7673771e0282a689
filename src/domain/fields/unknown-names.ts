// Finds the unknown members of an object, for a client that asked to have them rejected (contract §14), and writes the
// errors about unknown names.

import { editDistance } from '../../lib/similar-names.ts'
import { invalidRequest, type Problem } from '../../problem.ts'

/** How unknown members are treated (RFC 7240 §4.4): `strict` rejects them, `lenient` ignores them. */
export type Handling = 'strict' | 'lenient'

/** The maximum number of unknown members listed. A body of 64 KB can contain thousands of them, and each takes 150
 *  bytes of the response. */
const listedLimit = 100

/** Finds the first 100 unknown members of an object, in the object's order. `suggestion`: see suggestName. `unlisted`:
 *  the number of further unknown members. */
export function unknownNames(
  object: object,
  knownNames: readonly string[],
): { listed: { name: string; suggestion: string }[]; unlisted: number } {
  const names = new Set(knownNames)
  const unknown = Object.keys(object).filter((name) => !names.has(name))
  const listed = unknown.slice(0, listedLimit).map((name) => ({ name, suggestion: suggestName(name, knownNames) }))
  return { listed, unlisted: unknown.length - listed.length }
}

/** Only this many characters of a name are compared, so that the time stays proportional to the size of the body. */
const comparedLength = 40

/** Shorter names are close to too many others. */
const minLength = 3

/** Returns `; the nearest name is …`, or an empty text if no known name is close. */
export function suggestName(name: string, knownNames: readonly string[]): string {
  const nearest = nearestName(name.slice(0, comparedLength).toLowerCase(), knownNames)
  return nearest === undefined ? '' : `; the nearest name is ${nearest}`
}

/** A shorter name is part of too many words with another meaning: "name" of "hostname", "code" of "barcode". */
const minPartLength = 5

/** Returns the name that was probably meant, ignoring case: one that starts with the given name, one that contains it
 *  as a word or the start of a word, one that is misspelled in it, or a long one that makes up half of it. If several
 *  names are equally close, returns the first. */
function nearestName(mistyped: string, knownNames: readonly string[]): string | undefined {
  if (mistyped.length < minLength) return knownNames.find((name) => name.toLowerCase() === mistyped)
  return (
    knownNames.find((name) => name.toLowerCase().startsWith(mistyped)) ??
    knownNames.find((name) => name.toLowerCase().includes(`_${mistyped}`)) ??
    leastMisspelled(mistyped, knownNames) ??
    knownNames.find(
      (name) => name.length >= minPartLength && name.length * 2 >= mistyped.length && mistyped.includes(name),
    )
  )
}

/** Returns the name with the fewest typing errors: one in up to four letters, two in up to eight, otherwise three. Words of the
 *  same form are as similar (owner and order), so a name with two errors must begin with the same two letters. */
function leastMisspelled(mistyped: string, knownNames: readonly string[]): string | undefined {
  let nearest: string | undefined
  const { length } = mistyped
  let least = length <= 4 ? 2 : length <= 8 ? 3 : 4
  for (const candidate of knownNames) {
    if (Math.abs(candidate.length - mistyped.length) >= least) continue // the distance is at least the difference in length
    const distance = editDistance(mistyped, candidate.toLowerCase())
    if (distance > 1 && !candidate.toLowerCase().startsWith(mistyped.slice(0, 2))) continue
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest
}

/** Returns an error with the known name that was probably meant, if one is close, and with the allowed names. */
export function noSuchParameter(
  parameter: string,
  knownNames: readonly string[],
  allowed = allowedList(knownNames),
): Problem {
  const suggestion = suggestName(parameter.replace(/\[.*$/, ''), knownNames)
  return invalidRequest(`There is no parameter ${quote(parameter)}${suggestion}; ${allowed}`)
}

export function allowedList(words: readonly string[]): string {
  return words.length === 0 ? 'this endpoint takes none.' : `allowed: ${words.join(', ')}.`
}

/** Quotes and shortens the caller's input for an error message. */
export function quote(text: string): string {
  return JSON.stringify(shortenInput(text))
}

/** Shortens the caller's input for an error message. */
export function shortenInput(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text
}
