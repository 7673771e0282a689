// Guesses what a column contains whose title is not known: from the words of the title, and from the cells. A person
// confirms each guess, so the API and the command line do not guess.

import { type Field, isName, isPersonalName, type Resource, type Resources } from '../../declarations/resource.ts'
import { emailPattern, isDay } from '../../fields/field-values.ts'
import { fold } from '../../search/fold.ts'
import { readDate } from '../file/dates.ts'
import { readChoiceWord, readYesNo } from '../file/words.ts'
import type { ColumnTarget, FileColumn } from './columns.ts'
import { fieldOf, ignoredColumns, targetsOf } from './targets.ts'
import { columnTitlesOf, normalizeTitle } from './titles.ts'

/** `title`: words of the title name the field. `part`: the title names a part of the field, such as a person's last
 *  name. `cells`: the cells look like values of the field. */
export type Guess = { target: ColumnTarget; by: 'title' | 'part' | 'cells' }

/** Titles of the parts of a name, as lists of people have them. */
const partsOfName = [
  'First name, Given name, Forename, Vorname, Rufname, İsim, Prénom',
  'Last name, Surname, Family name, Nachname, Familienname, Soyad, Soyadı, Soyisim, Nom',
].map((titles) => titles.split(', ').map(normalizeTitle))

/** Returns a guess for each column that has no target; null for the others, and without an idea. `cellsOf`: some cells of
 *  a column that are not empty. */
export function guessColumns(
  columns: readonly FileColumn[],
  cellsOf: (index: number) => readonly string[],
  resource: Resource,
  resources: Resources,
): (Guess | null)[] {
  const ignored = new Set(ignoredColumns(resource).map(normalizeTitle))
  const taken = new Set(columns.flatMap(({ target }) => (target ? [fieldOf(target)] : [])))
  const free = targetsOf(resource, resources).filter((target) => !taken.has(fieldOf(target)))
  return columns.map(({ title, target }, index) => {
    if (target || ignored.has(normalizeTitle(title)) || cellsOf(index).length === 0) return null
    const cells = cellsOf(index)
    const fitting = free.filter((each) => isLikely(resource, each, cells))
    const guess = guessPart(resource, fitting, title) ?? guessTitle(resource, fitting, title) ?? guessCells(free, cells)
    if (!guess || taken.has(fieldOf(guess.target))) return null
    if (guess.by !== 'part') taken.add(fieldOf(guess.target))
    return guess
  })
}

/** Whether the cells look like values of the field, as far as its kind shows. Says yes if there are none. */
export function isLikely(resource: Resource, target: ColumnTarget, cells: readonly string[]): boolean {
  if (cells.length === 0 || target.kind !== 'field') return true
  const field = resource.fields[target.name]!
  return cells.some((cell) => couldBe(resource, field, cell))
}

function couldBe(resource: Resource, field: Field, cell: string): boolean {
  switch (field.kind) {
    case 'email':
      return emailPattern.test(cell)
    case 'choice':
      return readChoiceWord(resource, field.of, cell) !== undefined
    case 'boolean':
      return readYesNo(cell) !== undefined
    case 'date':
      return isDay(readDate(cell, 'day first')) || isDay(readDate(cell, 'month first'))
    case 'integer':
      return /\d/.test(cell)
    default:
      return !(isName(field) && emailPattern.test(cell))
  }
}

/** Whether a column with this title contains a part of the name of a person. */
export function namesPart({ fields }: Resource, title: string): boolean {
  const isPart = partsOfName.some((titles) => titles.includes(normalizeTitle(title)))
  return isPart && Object.values<Field>(fields).some(isPersonalName)
}

function guessPart(resource: Resource, targets: readonly ColumnTarget[], title: string): Guess | null {
  if (!namesPart(resource, title)) return null
  const { fields } = resource
  const target = targets.find((each) => each.kind === 'field' && isPersonalName(fields[each.name]))
  return target ? { target, by: 'part' } : null
}

/** The longest title that the column's title contains as whole words wins: `Primary user email` contains `Email`. */
function guessTitle(resource: Resource, targets: readonly ColumnTarget[], title: string): Guess | null {
  const words = wordsOf(title)
  const found = targets
    .filter((target) => target.kind === 'field')
    .flatMap((target) => columnTitlesOf(resource, target).map((each) => ({ target, words: wordsOf(each) })))
    .filter(({ words: known }) => known.length < words.length && contains(words, known))
  const longest = found.toSorted((one, other) => other.words.join('').length - one.words.join('').length)[0]
  return longest ? { target: longest.target, by: 'title' } : null
}

/** `['azure', 'ad', 'device', 'id']` for `AzureAdDevice_ID`. */
function wordsOf(title: string): string[] {
  const spaced = title.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
  return fold(spaced)
    .split(/[\s\p{P}\p{S}]+/u)
    .filter((word) => word !== '')
}

function contains(words: readonly string[], part: readonly string[]): boolean {
  return part.length > 0 && words.some((_, from) => part.every((word, at) => words[from + at] === word))
}

function guessCells(targets: readonly ColumnTarget[], cells: readonly string[]): Guess | null {
  if (!cells.every((cell) => emailPattern.test(cell))) return null
  const target = targets.find((each) => (each.kind === 'reference' ? each.by : each.name) === 'email')
  return target ? { target, by: 'cells' } : null
}

/** Returns the choice that a part of a longer word means, such as the laptop of `Corporate laptops`. Returns undefined if
 *  the word's parts mean none or several. */
export function guessChoice(resource: Resource, field: Field, word: string): string | undefined {
  if (field.kind !== 'choice') return undefined
  const parts = wordsOf(word).flatMap((part) => [part, part.replace(/s$/, '')])
  const choices = new Set(
    parts.map((part) => readChoiceWord(resource, field.of, part)).filter((each) => each !== undefined),
  )
  return choices.size === 1 ? [...choices][0] : undefined
}
