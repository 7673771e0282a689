import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hardware } from '../../src/resources/declarations/hardware.ts'
import {
  coveringTrigrams,
  fold,
  renewSearchText,
  searchText,
  separatorOf,
  trigrams,
} from '../../src/resources/search/fold.ts'
import { codePoint } from '../support/code-points.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: codePoint, maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom('İ', 'I', 'ı', 'i', 'ß', 'S', 'Σ', 'ς', 'é', 'e', '\u0301', '\u0307', 'ﬁ', ' ', '\ufdd0'),
  }),
)

test('search ignores case in every alphabet', () => {
  for (const same of [
    ['İSTANBUL', 'istanbul', 'Istanbul', 'ıstanbul', 'I\u0307stanbul'],
    ['STRASSE', 'straße', 'Straẞe'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος', 'ΣίΣυφοσ'],
    ['É', 'é', 'e\u0301', 'E\u0301'],
    ['ﬁn', 'FIN', 'fin'],
    ['ПРИВЕТ', 'привет'],
  ]) {
    assert.equal(new Set(same.map(fold)).size, 1, same.join())
  }
})

test('search ignores the accents of Latin, Greek and Cyrillic letters, and keeps the marks of other scripts', () => {
  for (const [accented, plain] of [
    ['Ünal İnşaat Çağrı', 'unal insaat cagri'],
    ['Müller, Søren, Łukasz, Đorđe', 'muller, soren, lukasz, dorde'],
    ['Æsir Œuvre Þór', 'aesir oeuvre thor'],
    ['Σίσυφος', 'σισυφοσ'],
    ['Ёлкин', 'елкин'],
  ] as const) {
    assert.equal(fold(accented), plain)
  }
  for (const [one, other] of [
    ['हिन्दी', 'हनद'],
    ['أحمد', 'احمد'],
    ['が', 'か'],
  ] as const)
    assert.notEqual(fold(one), fold(other))
})

test('search text stored by earlier versions is updated without changing the record', () => {
  const old = '\ufdd0ünal laptop\ufdd0\ufdd1td-0004\ufdd1\ufdd5notes\ufdd5'
  const renewed = searchText(hardware, { name: 'Ünal Laptop', asset_tag: 'TD-0004', notes: 'Notes' })
  assert.equal(renewSearchText(hardware, old), renewed)
  assert.equal(renewSearchText(hardware, renewed), renewed)
  assert.ok(renewed.includes('unal laptop') && renewed.includes('td-0004') && renewed.includes('td0004'))
})

test('case folding is idempotent and independent of the case of the text', () => {
  fc.assert(fc.property(text, (given) => fold(fold(given)) === fold(given)))
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (given) => fold(given.toUpperCase()) === fold(given)))
})

test('the index terms of a search are in the index of every text that contains it', () => {
  fc.assert(
    fc.property(text, text, text, (before, within, behind) => {
      const all = trigrams(before + within + behind)
      return coveringTrigrams(within).every((gram) => all.includes(gram))
    }),
  )
})

test('no text can contain the separators between fields', () => {
  fc.assert(
    fc.property(text, text, (name, notes) => {
      const searched = searchText(hardware, { name, notes })
      const parts = searched.split(separatorOf(hardware, 'name'))
      return fold(name) === '' ? parts.length === 1 : parts.length === 3 && parts[1] === fold(name)
    }),
  )
})
