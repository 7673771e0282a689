// The words of the panel: the terms of asset management in each language, and sentences that are correct for every
// value.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { withConventions } from '../../src/panel/i18n/conventions.ts'
import { type Language, languages, type Texts } from '../../src/panel/i18n/index.ts'

const conventions = { currency: 'EUR', timeZone: 'UTC', noticeDays: 60 } as const
const folder = new URL('../../src/panel/i18n/', import.meta.url)

/** Every text, by its path. */
function textsOf(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') return [[path, String(value(1, 1))]]
  return Object.entries((value ?? {}) as object).flatMap(([name, each]) => textsOf(each, `${path}.${name}`))
}

/** The texts that contain one of the words. `kept`: path prefixes where they are correct. */
function textsWith(texts: Texts, words: RegExp, kept: readonly string[]): [path: string, text: string][] {
  return textsOf(texts).filter(([path, text]) => words.test(text) && !kept.some((each) => path.startsWith(each)))
}

/** The terms of the API, and words that no product uses. */
const foreign = {
  en: /\b(customer|employee|hardware)s?\b/i,
  de: /Mitarbeiter|Hardware|Zuordnung/,
  tr: /kiracı|çalışanlar?\b|donanım|süz|öteki/i,
}

/** Where a branch is a type of customer, or one of the names for customers. */
const choices = '.choices.'

for (const language of Object.keys(foreign) as Language[])
  test(`texts speak of branches, people and assets: ${language}`, () => {
    const texts = withConventions(languages[language], { ...conventions, customersCalled: 'branches' })
    const kept = [choices, '.fields.employee_no', '.handOver.person.employee_no']
    assert.deepEqual(textsWith(texts, foreign[language], kept), [])
  })

for (const [language, words] of Object.entries({ en: /branch/i, de: /standort|niederlassung/i, tr: /şube/i }))
  test(`texts for tenants that call them clients do not mention branches: ${language}`, () => {
    const texts = withConventions(languages[language as Language], { ...conventions, customersCalled: 'clients' })
    assert.deepEqual(textsWith(texts, words, [choices]), [])
  })

test('no Turkish text appends a suffix to a variable: it would have to follow the vowels of its value', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /(^|\/)tr\.ts$/.test(name))
  assert.ok(files.length > 5)
  const found = files.flatMap((name) => {
    const lines = readFileSync(new URL(name, folder), 'utf8').split('\n')
    return lines.filter((line) => /(\$\{[^}]*\}|#)['’]?\p{Ll}/u.test(line)).map((line) => `${name}: ${line.trim()}`)
  })
  assert.deepEqual(found, [])
})
