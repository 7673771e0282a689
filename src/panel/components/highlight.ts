// Highlights search words in a text.

import { html } from 'ghtml'
import { compactCode, fold, foldSpelledOut } from '../../domain/search/fold.ts'

/** Whether the text contains one of the folded words. `isCode`: also searches the text without its punctuation. */
export function isFoundIn(text: string, words: readonly string[], isCode = false): boolean {
  const forms = [fold(text), foldSpelledOut(text)]
  if (isCode) forms.push(...forms.map(compactCode))
  return words.some((word) => forms.some((form) => form.includes(word)))
}

/** Renders the text as HTML, with a mark around each occurrence of a folded word. */
export function highlight(text: string, words: readonly string[], isCode = false): string {
  const characters = [...text]
  const marked = new Set<number>()
  const forms = [fold, foldSpelledOut]
  if (isCode) forms.push((character) => compactCode(fold(character)))
  for (const form of forms) for (const index of matchedIndexes(characters, form, words)) marked.add(index)
  let marks = ''
  for (let index = 0; index < characters.length; ) {
    const isMarked = marked.has(index)
    let end = index
    while (end < characters.length && marked.has(end) === isMarked) end++
    const part = characters.slice(index, end).join('')
    marks += isMarked ? html`<mark>${part}</mark>` : html`${part}`
    index = end
  }
  return marks
}

/** Returns the indexes of the characters to mark. These are indexes into the original text, although folding can remove
 *  a character or turn it into several. */
function matchedIndexes(characters: string[], form: (character: string) => string, words: readonly string[]): number[] {
  const origins: number[] = []
  let folded = ''
  for (const [index, character] of characters.entries()) {
    const text = form(character)
    folded += text
    for (let unit = 0; unit < text.length; unit++) origins.push(index)
  }
  return words.flatMap((word) => {
    const indexes: number[] = []
    for (let start = folded.indexOf(word); start >= 0 && word !== ''; start = folded.indexOf(word, start + word.length))
      for (let index = origins[start]!; index <= origins[start + word.length - 1]!; index++) indexes.push(index)
    return indexes
  })
}

/** An excerpt begins at most this many characters before its first match, unless the match is near the end. */
const contextLength = 30

/** The length of an excerpt in characters. */
const length = 120

/** Returns the part of a long text around its first match. */
export function excerpt(text: string, words: readonly string[]): string {
  const characters = [...text.replaceAll(/\s+/g, ' ')]
  if (characters.length <= length) return characters.join('')
  const matches = [fold, foldSpelledOut].flatMap((form) => matchedIndexes(characters, form, words))
  const first = Math.min(...matches, characters.length)
  const start =
    first === characters.length ? 0 : Math.max(0, Math.min(first - contextLength, characters.length - length))
  const end = start + length
  return `${start > 0 ? '…' : ''}${characters.slice(start, end).join('')}${end < characters.length ? '…' : ''}`
}
