// How the panel formats record values.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customers } from '../../../src/domain/declarations/customers.ts'
import { showValue } from '../../../src/panel/components/record-fields.ts'
import { languages } from '../../../src/panel/i18n/index.ts'
import { decodeHtml } from '../../support/panel/panel-client.ts'

const { phone, country } = customers.fields

test('a phone number is shown unchanged, as a link that calls it; other text is not a link', () => {
  for (const [typed, called] of [
    ['+49 (0)30 1234567-12', '+4930123456712'],
    ['0212 123 45 67 dahili 89', '02121234567;ext=89'],
    ['020 7946 0018 ext. 4', '02079460018;ext=4'],
    ['030/1234567', '0301234567'],
  ] as const)
    assert.equal(decodeHtml(showValue(languages.en, phone, typed)), `<a href="tel:${called}"><bdi>${typed}</bdi></a>`)
  assert.equal(showValue(languages.en, phone, 'ask <Ada>'), '<bdi>ask &#60;Ada&#62;</bdi>')
})

test('a country is shown by its name in the user’s language, and an unknown code unchanged', () => {
  assert.deepEqual(
    [languages.en, languages.de, languages.tr].map((texts) => showValue(texts, country, 'TR')),
    ['Türkiye', 'Türkei', 'Türkiye'],
  )
  assert.equal(showValue(languages.en, country, '??'), '??')
})
