// The folded text that is stored with each record for searches, its columns, and the tests whether it contains a text.

import type { Clause, Database, Value } from '../../engine/database/database.ts'
import { isCode, type Resource } from '../declarations/resource.ts'
import type { ListQuery } from '../lists/query.ts'
import { searchedFields } from '../lists/request/options.ts'
import { trigramHashes, trigrams } from './trigrams.ts'

type Engine = Database['engine']

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
export function compactCode(folded: string): string {
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

export function isSearched(resource: Resource): boolean {
  return searchedFields(resource).length > 0
}

export function searchColumns(engine: Engine, resource: Resource): Record<string, string> {
  if (!isSearched(resource)) return {}
  if (engine === 'sqlite') return { [searchColumn]: `text not null default ''` }
  return { [searchColumn]: `text collate "C" not null default ''`, search_grams: `integer[] not null default '{}'` }
}

export function searchValues(engine: Engine, resource: Resource, values: Record<string, Value>): Record<string, Value> {
  return isSearched(resource) ? columnsOfText(engine, searchText(resource, values)) : {}
}

export function columnsOfText(engine: Engine, text: string): Record<string, Value> {
  if (engine === 'sqlite') return { [searchColumn]: text }
  return { [searchColumn]: text, search_grams: `{${trigramHashes(trigrams(text))}}` }
}

/** The folded text of all searched fields, each between two copies of the field's separator, so that SQL can extract
 *  one field. Further forms may follow, each with another separator at its end: the compact form of a code, and words
 *  in other spellings. Empty fields are left out, so the text of existing records stays valid when a migration adds a
 *  field. */
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
  const short = isCode(fields[name]!) ? compactCode(folded) : ''
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

const positionIn = { sqlite: 'instr', postgres: 'strpos' } as const

/** Returns a condition that is true if any searched field contains the word. */
export function containsWord(engine: Engine, word: string): Clause {
  return { sql: `${positionIn[engine]}(${searchColumn}, ?) > 0`, values: [word] }
}

/** Returns a condition that is true if this field contains the text. The condition checks the whole search text first,
 *  so that the field is extracted only if necessary. */
export function fieldContains(engine: Engine, resource: Resource, field: string, text: string): Clause {
  const find = positionIn[engine]
  const separator = separatorOf(resource, field)
  const part = fieldPart[engine]
  return {
    sql: `${find}(${searchColumn}, ?) > 0 and ${find}(${part.sql}, ?) > 0`,
    values: [text, ...Array.from({ length: part.separators }, () => separator), text],
  }
}

/** SQL for a field's text, which is the text between the first two of the field's separators. The text is empty if the
 *  field is empty. `separators`: for how many placeholders in the SQL the separator must be bound. */
const fieldPart = {
  sqlite: { sql: betweenSeparators(`substr(${searchColumn}, instr(${searchColumn}, ?) + 1)`), separators: 3 },
  postgres: { sql: `split_part(${searchColumn}, ?, 2)`, separators: 1 },
} as const

/** A searched field's folded text, as an expression for an index. */
export function foldedField(engine: Engine, resource: Resource, field: string): string {
  const separator = `${{ sqlite: 'char', postgres: 'chr' }[engine]}(${separatorOf(resource, field).charCodeAt(0)})`
  return fieldPart[engine].sql.replaceAll('?', separator)
}

function betweenSeparators(rest: string): string {
  return `substr(${rest}, 1, instr(${rest}, ?) - 1)`
}

/** Whether a record that is not in the table contains the texts that a list searches for: the same test as
 *  `containsWord` and `fieldContains`. `words` and operands are folded. */
export function hasTexts(
  resource: Resource,
  record: Record<string, Value>,
  { words, conditions }: Pick<ListQuery, 'words' | 'conditions'>,
): boolean {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  const folded = searchText(resource, record)
  return (
    words.every((word) => folded.includes(word)) &&
    contained.every(({ filter, values }) => fold(String(record[filter] ?? '')).includes(String(values[0])))
  )
}
