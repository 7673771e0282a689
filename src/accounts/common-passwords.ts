// Passwords that are guessed first: a list of frequent ones (ASVS 6.2.4), which docs/common-passwords.ts makes.

import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

const path = new URL('./common-passwords.txt.br', import.meta.url)

/** Folded passwords in order, a line each; 1.3 MB, read when a password is set for the first time. */
let list: string | undefined

/** A password of fewer characters with others at its end is another word. */
const shortestCore = 5

/** What is compared: neither case nor spaces nor the width of letters makes a password harder to guess. */
export function foldPassword(password: string): string {
  return password.normalize('NFKC').toLowerCase().replaceAll(/\s/g, '')
}

/** Whether a folded password is on the list: as it is, or without digits and signs before and behind it, and with at most four
 *  other characters at one end. */
export function isCommonPassword(folded: string): boolean {
  const [before, behind] = [/^\P{L}+/u, /\P{L}+$/u]
  const bare = [
    folded,
    folded.replace(before, ''),
    folded.replace(behind, ''),
    folded.replace(before, '').replace(behind, ''),
  ]
  const cut = bare.flatMap((text) => [1, 2, 3, 4].flatMap((count) => [text.slice(count), text.slice(0, -count)]))
  return bare.some(isListed) || cut.some((text) => text.length >= shortestCore && isListed(text))
}

/** By halves: a set of the lines would take ten times the memory. */
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
