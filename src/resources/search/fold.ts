// Search in text: what is stored beside a record to be searched in, and how a text looks that is searched for.

import type { Value } from '../../database/database.ts'
import { searchedFields } from '../lists/options.ts'
import type { Resource } from '../resource.ts'

/** The column that holds what of a record is searched in. */
export const searchColumn = 'search_text'

/** Text as it is compared: without case, in every alphabet. İ, I, ı and i meet, ß meets SS, a composed é meets one of two
 *  characters. Blanks stay as they are; what could be taken for a mark becomes a blank. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return text
    .normalize('NFC')
    .toLowerCase() // ẞ is an upper case already, of what becomes SS
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replace(/i\u0307+/g, 'i')
    .normalize('NFC')
    .replace(/[\ufdd0-\ufdef]/g, ' ')
}

/** Where the rest of folding changes nothing. */
function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

/** The words of a search, folded. */
export function wordsOf(text: string): string[] {
  return [...new Set(fold(text).split(/\s+/).filter(Boolean))]
}

/** The folded text of all searched fields, each between marks of its own, so that SQL can cut one out. */
export function searchText(resource: Resource, values: Record<string, Value>): string {
  const fields = searchedFields(resource)
  return (
    fields.map((name, at) => fieldSeparator(at) + fold(String(values[name] ?? ''))).join('') +
    fieldSeparator(fields.length)
  )
}

/** The marks before and behind the text of a field. */
export function marksOf(resource: Resource, name: string): [before: string, behind: string] {
  const at = searchedFields(resource).indexOf(name)
  return [fieldSeparator(at), fieldSeparator(at + 1)]
}

/** Searched fields that a resource can have: there are no more marks. */
export const mostSearchedFields = 31

/** One of the 32 characters that Unicode keeps out of all text (U+FDD0 to U+FDEF). */
function fieldSeparator(at: number): string {
  return String.fromCharCode(0xfdd0 + at)
}

/** Every three characters in a row, each once. Shorter text has none. */
export function trigrams(text: string): string[] {
  const characters = [...text]
  return [...new Set(characters.slice(2).map((last, at) => characters[at]! + characters[at + 1]! + last))]
}

/** Trigrams that a search for the text looks up: every second, and the last. Those between them would cost as much, and rule
 *  out little that these do not. */
export function coveringTrigrams(text: string): string[] {
  const characters = [...text]
  const last = characters.length - 3
  if (last < 0) return []
  const starts = [...Array.from({ length: Math.ceil(last / 2) }, (_, at) => at * 2), last]
  return [...new Set(starts.map((start) => characters.slice(start, start + 3).join('')))]
}

/** Bits of a trigram's number that are of its last character; the others are of the two before. */
const lastBits = 6

/** Trigrams as whole numbers of 32 bits, for an index that knows numbers alone; two may share one. */
export function trigramHashes(grams: readonly string[]): number[] {
  const numbers = grams.map((gram) => {
    const [first, second, last] = [...gram] as [string, string, string]
    return numberOf(hashOf(first + second), hashOf(last))
  })
  return [...new Set(numbers)]
}

/** The numbers of all trigrams that begin with these two characters. */
export function bigramHashes(pair: string): number[] {
  return Array.from({ length: 1 << lastBits }, (_, last) => numberOf(hashOf(pair), last))
}

function numberOf(pair: number, last: number): number {
  return (pair << lastBits) | (last & ((1 << lastBits) - 1))
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5 // FNV-1a
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash ^ (hash >>> 16)
}
