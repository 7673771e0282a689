// Checks passwords against a list of common ones (ASVS 6.2.4), which docs/common-passwords.ts generates.

import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

const path = new URL('./common-passwords.txt.br', import.meta.url)

/** Folded passwords, sorted, one per line. 1.3 MB, so it is loaded when a password is set for the first time. */
let list: string | undefined

/** A listed password shorter than this does not count once characters have been stripped: it would match too many words. */
const minCoreLength = 5

/** The form used for comparison: case, spaces and full-width letters do not make a password harder to guess. */
export function foldPassword(password: string): string {
  return password.normalize('NFKC').toLowerCase().replaceAll(/\s/g, '')
}

/** Whether a folded password is on the list: as it is, without digits and symbols at its ends, or without up to four further
 *  characters at one end. */
export function isCommonPassword(folded: string): boolean {
  const [before, behind] = [/^\P{L}+/u, /\P{L}+$/u]
  const bare = [
    folded,
    folded.replace(before, ''),
    folded.replace(behind, ''),
    folded.replace(before, '').replace(behind, ''),
  ]
  const cut = bare.flatMap((text) => [1, 2, 3, 4].flatMap((count) => [text.slice(count), text.slice(0, -count)]))
  return bare.some(isListed) || cut.some((text) => text.length >= minCoreLength && isListed(text))
}

/** Binary search in the text: a Set of the lines would take ten times the memory. */
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
