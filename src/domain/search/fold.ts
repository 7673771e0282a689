// Text search: the folded text that is stored with each record, and the words and trigrams of a search.

import type { Value } from '../../engine/database/database.ts'
import { isCode, type Resource } from '../declarations/resource.ts'
import { searchedFields } from '../lists/request/options.ts'

/** The column with the folded text of a record's searched fields. */
export const searchColumn = 'search_text'

/** Normalizes text so that comparisons ignore case and the accents of Latin, Greek and Cyrillic letters: İ, I, ı and i
 *  are equal, ß equals SS, é equals e, and ø equals o. Typographic apostrophes and hyphens become plain ones, and
 *  full-width letters become ordinary letters. Whitespace is unchanged; characters used as field separators become
 *  spaces. */
export function fold(text: string): string {
  return isAscii(text) ? text.toLowerCase() : withoutAccents(compose(text))
}

/** Converts to lower case and to a normal form, in which full-width letters are ordinary ones. ẞ is already upper case,
 *  and only its lower-case form ß becomes SS. Other compatibility characters are kept: one of them would become 18. */
function compose(text: string): string {
  const ordinary = text.replace(/[\u3000\uff00-\uffef]+/g, (wide) => wide.normalize('NFKC'))
  return ordinary.normalize('NFC').toLowerCase()
}

function withoutAccents(composed: string): string {
  if (isAscii(composed)) return composed
  return composed
    .toUpperCase()
    .toLowerCase()
    .replace(typographic, (mark) => (hyphen.test(mark) ? '-' : "'"))
    .normalize('NFD')
    .replace(accents, '')
    .replace(/[ςøłđðħŧæœþ]/g, (letter) => plainLetters[letter]!)
    .normalize('NFC')
    .replace(/[\ufdd0-\ufdef]/g, ' ')
}

/** Apostrophes, hyphens and dashes. */
const typographic = /[´ʹʻʼʽʾʿˈ‘’‛′‵\u2010-\u2015\u2043\u2212\ufe58\ufe63]/g
const hyphen = /[\u2010-\u2015\u2043\u2212\ufe58\ufe63]/

/** The accents of Latin, Greek and Cyrillic letters. Combining marks of other scripts distinguish words, so they
 *  stay. */
const accents = /[\u0300-\u036f]/g

/** Letters that Unicode does not decompose. */
const plainLetters: Record<string, string> = {
  ς: 'σ',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}

/** A folded code without punctuation and spaces: `td0004` for `TD-0004`. */
export function compact(folded: string): string {
  return folded.replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
}

/** Whether the text is ASCII. Folding such text only requires converting it to lower case. */
function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false
  return true
}

/** Like `fold`, but umlauts become two letters: `mueller` for Müller. */
export function foldSpelledOut(text: string): string {
  return isAscii(text) ? text.toLowerCase() : withoutAccents(spellOut(compose(text)))
}

/** The words that have another spelling, in that spelling: `mueller` for Müller, and `muller` for Mueller. Searches for
 *  any of the three forms then find the first two. These words are stored with the text, because a search for `blue`
 *  could not know whether its `ue` stands for ü. */
function otherSpellings(composed: string, folded: string): string {
  const contracted = wordsWith(digraph, folded).replace(digraphs, '$1')
  const spelledOut = withoutAccents(spellOut(wordsWith(umlaut, composed)))
  return contracted === '' || spelledOut === '' ? contracted + spelledOut : `${contracted} ${spelledOut}`
}

function wordsWith(letters: RegExp, text: string): string {
  if (!letters.test(text)) return ''
  const words = text.split(' ').filter((word) => letters.test(word))
  return words.join(' ')
}

function spellOut(composed: string): string {
  return composed.replace(umlauts, (letter) => twoLetters[letter]!)
}

const umlaut = /[äöü]/
const umlauts = /[äöü]/g
const twoLetters: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue' }

/** The letters that stand for an umlaut. `ue` does not, after another vowel or q, as in Bauer and queue. */
const digraph = /[ao]e|(?<![aeq])ue/
const digraphs = /([ao]|(?<![aeq])u)e/g

/** The words of a search, folded and without duplicates. */
export function wordsOf(text: string): string[] {
  return [...new Set(fold(text).split(/\s+/).filter(Boolean))]
}

/** The folded text of all searched fields, each between two copies of the field's separator, so that SQL can extract
 *  one field. Further forms may follow, each with another separator at its end: the compact form of a code, and words in
 *  other spellings. Empty fields are left out, so the text of existing records stays valid when a migration adds a field. */
export function searchText(resource: Resource, values: Record<string, Value>): string {
  return searchedFields(resource)
    .map((name, index) => textOfField(resource, name, fieldSeparator(index), String(values[name] ?? '')))
    .join('')
}

function textOfField({ fields }: Resource, name: string, separator: string, text: string): string {
  if (text === '') return ''
  const hasOnlyAscii = isAscii(text)
  const composed = hasOnlyAscii ? text.toLowerCase() : compose(text)
  const folded = hasOnlyAscii ? composed : withoutAccents(composed)
  if (folded === '') return ''
  let forms = separator + folded + separator
  const short = isCode(fields[name]!) ? compact(folded) : ''
  if (short !== folded && short !== '') forms += short + separator
  if (hasOnlyAscii && !digraph.test(folded)) return forms
  const spellings = otherSpellings(composed, folded)
  return spellings === '' ? forms : forms + spellings + separator
}

/** The character before and after a field's text. */
export function separatorOf(resource: Resource, name: string): string {
  return fieldSeparator(searchedFields(resource).indexOf(name))
}

/** The maximum number of searched fields in a resource: there are 32 separators. */
export const maxSearchedFields = 32

const firstSeparator = 0xfdd0

/** One of 32 Unicode noncharacters (U+FDD0 to U+FDEF), which never occur in text. */
function fieldSeparator(index: number): string {
  return String.fromCharCode(firstSeparator + index)
}

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
  return [...new Set(starts.map((start) => characters.slice(start, start + 3).join('')))]
}

/** The number of bits in a trigram's hash that come from its last character. The other bits come from the first two
 *  characters. */
const lastBits = 6

/** Hashes trigrams to 32-bit integers, for an index that supports only integers. Collisions are possible. */
export function trigramHashes(grams: readonly string[]): number[] {
  const hashes = grams.map((gram) => {
    const [first, second, last] = [...gram] as [string, string, string]
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
