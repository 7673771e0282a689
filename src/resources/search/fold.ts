// Text search: the folded text that is stored with each record, and the words and trigrams of a search.

import type { Value } from '../../database/database.ts'
import { searchedFields } from '../lists/request/options.ts'
import { isCode, type Resource } from '../resource.ts'

/** The column with the folded text of a record's searched fields. */
export const searchColumn = 'search_text'

/** Normalizes text so that comparisons ignore case and the accents of Latin, Greek and Cyrillic letters: İ, I, ı and i
 *  are equal, ß equals SS, é equals e, and ø equals o. Whitespace is unchanged; characters used as field separators
 *  become spaces. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return text
    .normalize('NFC')
    .toLowerCase() // ẞ is already upper case, and only its lower-case form ß becomes SS
    .toUpperCase()
    .toLowerCase()
    .normalize('NFD')
    .replace(accents, '')
    .replace(/[ςøłđðħŧæœþ]/g, (letter) => plainLetters[letter]!)
    .normalize('NFC')
    .replace(/[\ufdd0-\ufdef]/g, ' ')
}

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

/** The words of a search, folded and without duplicates. */
export function wordsOf(text: string): string[] {
  return [...new Set(fold(text).split(/\s+/).filter(Boolean))]
}

/** The folded text of all searched fields, each between two copies of the field's separator, so that SQL can extract
 *  one field. A code is followed by its compact form, if that differs, and a third separator. Empty fields are left
 *  out, so the text of existing records stays valid when a migration adds a field. */
export function searchText(resource: Resource, values: Record<string, Value>): string {
  return searchedFields(resource)
    .map((name, index) => textOfField(resource, name, fieldSeparator(index), String(values[name] ?? '')))
    .join('')
}

/** The search text in its current format, computed from a text that an earlier version stored. */
export function renewSearchText(resource: Resource, stored: string): string {
  const names = searchedFields(resource)
  const fieldText = /([\ufdd0-\ufdef])([^\ufdd0-\ufdef]*)\1(?:[^\ufdd0-\ufdef]+\1)?/g
  return stored.replace(fieldText, (whole, separator: string, text: string) => {
    const name = names[separator.charCodeAt(0) - firstSeparator]
    return name === undefined ? whole : textOfField(resource, name, separator, text)
  })
}

function textOfField({ fields }: Resource, name: string, separator: string, text: string): string {
  const folded = fold(text)
  if (folded === '') return ''
  const parts = [folded]
  if (isCode(fields[name]!)) parts.push(...[compact(folded)].filter((short) => short !== folded && short !== ''))
  return [...parts.map((part) => separator + part), separator].join('')
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
