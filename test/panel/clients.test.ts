// Tenants that call their customers clients: no text of the panel says branch.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withConventions } from '../../src/panel/i18n/conventions.ts'
import { type Language, languages } from '../../src/panel/i18n/index.ts'

const conventions = { currency: 'EUR', timeZone: 'UTC', customersCalled: 'clients', noticeDays: 60 } as const

/** Where branches remain: a branch is also a type of customer, and a name for customers. */
const kept = ['choices.']

/** Every text, by its path. */
function textsOf(value: unknown, path: string): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') return [[path, String(value(1, 1))]]
  return Object.entries((value ?? {}) as object).flatMap(([name, each]) => textsOf(each, `${path}${name}.`))
}

for (const [language, word] of Object.entries({ en: /branch/i, de: /standort|niederlassung/i, tr: /şube/i }))
  test(`texts about clients do not call them branches: ${language}`, () => {
    const texts = withConventions(languages[language as Language], conventions)
    const found = textsOf(texts, '').filter(
      ([path, text]) => word.test(text) && !kept.some((each) => path.startsWith(each)),
    )
    assert.deepEqual(found, [])
  })
