import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hardware } from '../../src/domain/declarations/hardware.ts'
import { fold, searchText, separatorOf, wordsOf } from '../../src/domain/search/fold.ts'
import { coveringTrigrams, trigrams } from '../../src/domain/search/trigrams.ts'
import { codePoint } from '../support/code-points.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: codePoint, maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom('İ', 'I', 'ı', 'i', 'ß', 'S', 'Σ', 'ς', 'é', 'e', '\u0301', '\u0307', 'ﬁ', ' ', '\ufdd0'),
  }),
)

test('search ignores case in Latin, Greek and Cyrillic letters', () => {
  for (const variants of [
    ['İSTANBUL', 'istanbul', 'Istanbul', 'ıstanbul', 'I\u0307stanbul'],
    ['STRASSE', 'straße', 'Straẞe'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος', 'ΣίΣυφοσ'],
    ['É', 'é', 'e\u0301', 'E\u0301'],
    ['ﬁn', 'FIN', 'fin'],
    ['ПРИВЕТ', 'привет'],
  ]) {
    assert.equal(new Set(variants.map(fold)).size, 1, variants.join())
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
  for (const [marked, unmarked] of [
    ['हिन्दी', 'हनद'],
    ['أحمد', 'احمد'],
    ['が', 'か'],
  ] as const)
    assert.notEqual(fold(marked), fold(unmarked))
})

test('search takes typographic apostrophes and hyphens for plain ones, and full-width letters for ordinary ones', () => {
  for (const apostrophe of '´ʹʼ‘’‛′＇') assert.equal(fold(`O${apostrophe}Brien`), "o'brien", apostrophe)
  for (const hyphen of '‐‑‒–—―−﹣－') assert.equal(fold(`Zoe${hyphen}Anne`), 'zoe-anne', hyphen)
  assert.equal(fold('ＴＤ－１２　ｶﾞ'), 'td-12 ガ')
})

test('umlauts are found by two letters, and two letters by umlauts', () => {
  const isFound = (stored: string, words: string) => {
    const text = searchText(hardware, { name: stored, notes: 'Nothing to find' })
    return wordsOf(words).every((word) => text.includes(word))
  }
  for (const [stored, words] of [
    ['Jörg Müller', 'joerg mueller'],
    ['Jörg Mu\u0308ller', 'MUELLER jorg'],
    ['Joerg Mueller', 'Jörg Müller'],
    ['Süßmüller', 'suessmueller'],
    ['Suessmueller', 'süßmüller'],
    ['Bad Österreich-Ähre', 'oesterreich-aehre'],
    ['GÖTZ', 'götz'],
    ['Müller', 'muller'],
    ['Muller', 'müller'],
    ['Özgür Şen', 'ozgur sen'],
    ['Straße', 'strasse'],
    ['Strasse', 'STRAẞE'],
  ] as const)
    assert.ok(isFound(stored, words), `${words} finds ${stored}`)
  for (const [stored, words] of [
    ['Muller', 'mueller'],
    ['Blum', 'blue'],
    ['Bauer', 'baür'],
  ] as const)
    assert.ok(!isFound(stored, words), `${words} does not find ${stored}`)
})

test('case folding is idempotent, and its result does not depend on the text’s case', () => {
  fc.assert(fc.property(text, (given) => fold(fold(given)) === fold(given)))
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (given) => fold(given.toUpperCase()) === fold(given)))
})

test('every text that contains a search term also contains every trigram that the search looks up for the term', () => {
  fc.assert(
    fc.property(text, text, text, (before, searched, after) => {
      const all = trigrams(before + searched + after)
      return coveringTrigrams(searched).every((trigram) => all.includes(trigram))
    }),
  )
})

test('no field’s text contains the separators between fields', () => {
  fc.assert(
    fc.property(text, text, (name, notes) => {
      const combined = searchText(hardware, { name, notes })
      const parts = combined.split(separatorOf(hardware, 'name'))
      return fold(name) === '' ? parts.length === 1 : [3, 4].includes(parts.length) && parts[1] === fold(name)
    }),
  )
})
