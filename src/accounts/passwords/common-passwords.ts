// Checks passwords against a list of common ones (ASVS 6.2.4), which docs/common-passwords.ts generates.

import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

const path = new URL('./common-passwords.txt.br', import.meta.url)

/** Folded passwords, sorted, one per line. The list is loaded on first use, because it takes up 1.4 MB. */
let list: string | undefined

/** If characters were removed from a password and the remaining text is shorter than this, the text is not looked up,
 *  because it would match too many words. */
const minCoreLength = 5

/** Returns the form used for comparison: case, spaces and full-width letters do not make a password harder to guess. */
export function foldPassword(password: string): string {
  return password.normalize('NFKC').toLowerCase().replaceAll(/\s/g, '')
}

/** Whether a folded password is on the list. Also looks up the password without the digits and symbols at its start,
 *  its end or both. Then removes one to four characters from either end of each of these texts, and looks up the
 *  results. */
export function isCommonPassword(folded: string): boolean {
  const [leadingNonLetters, trailingNonLetters] = [/^\P{L}+/u, /\P{L}+$/u]
  const variants = [
    folded,
    folded.replace(leadingNonLetters, ''),
    folded.replace(trailingNonLetters, ''),
    folded.replace(leadingNonLetters, '').replace(trailingNonLetters, ''),
  ]
  const shortened = variants.flatMap((text) =>
    [1, 2, 3, 4].flatMap((count) => [text.slice(count), text.slice(0, -count)]),
  )
  return variants.some(isListed) || shortened.some((text) => text.length >= minCoreLength && isListed(text))
}

/** Uses a binary search in the text, because a Set of the lines would take ten times as much memory. */
function isListed(text: string): boolean {
  list ??= `${brotliDecompressSync(readFileSync(path)).toString('latin1')}\n`
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const start = list.lastIndexOf('\n', middle - 1) + 1
    const end = list.indexOf('\n', start)
    const line = list.slice(start, end)
    if (line === text) return true
    if (line < text) low = end + 1
    else high = start
  }
  return false
}
