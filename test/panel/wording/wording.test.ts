// Checks which terms the panel uses in each language, and that its sentences are correct for every value.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { resources } from '../../../src/domain/declarations/all.ts'
import { withConfiguration } from '../../../src/domain/declarations/configuration.ts'
import { withConventions } from '../../../src/panel/i18n/conventions.ts'
import { type Language, languages, type Texts } from '../../../src/panel/i18n/index.ts'

const conventions = { currency: 'EUR', timeZone: 'UTC', noticeDays: 60 } as const
const turkish = new URL('../../../src/panel/i18n/tr/', import.meta.url)

/** Returns every text with its path. */
function textsOf(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') return [[path, String(value(1, 1))]]
  return Object.entries((value ?? {}) as object).flatMap(([name, item]) => textsOf(item, `${path}.${name}`))
}

/** Returns the texts that contain one of the words. `exceptions`: prefixes of the paths where the words are correct. */
function textsWith(texts: Texts, words: RegExp, exceptions: readonly string[]): [path: string, text: string][] {
  return textsOf(texts).filter(
    ([path, text]) => words.test(text) && !exceptions.some((prefix) => path.startsWith(prefix)),
  )
}

test('every declared field and every choice has a label in every language', () => {
  const fields = withConfiguration(resources).flatMap((resource) => Object.entries(resource.fields))
  for (const [language, texts] of Object.entries(languages))
    for (const [name, field] of fields) {
      assert.ok(Object.hasOwn(texts.fields, name), `${language}: ${name}`)
      if (field.kind !== 'choice') continue
      for (const choice of field.of) assert.ok(Object.hasOwn(texts.choices, choice), `${language}: ${name} ${choice}`)
    }
})

/** Words that must not appear in the panel: the API's terms, words that are not used in asset management, and second
 *  words for what already has a name. */
const foreign = {
  en: /\b(customer|employee|hardware|change set)s?\b/i,
  de: new RegExp(
    'Mitarbeiter|Hardware|Zuordnung|zuordnung|Leihe\\b|Leihen\\b|[Vv]erl(eih|ieh)|Leihprotokoll|Arbeitsmittel|Offboarding|' +
      'Manager|Inhaber|[Mm]arkier|Vorgabe|[Hh]aken',
  ),
  tr: /kiracı|çalışanlar?\b|donanım|süz|öteki|ödünç|\bkişi(de|ye|nin|yi)?\b/i,
}

/** Texts below this path use “branch” for a type of customer, or as one of the names for customers. */
const choices = '.choices.'

for (const language of Object.keys(foreign) as Language[])
  test(`texts use the words branches, people and assets: ${language}`, () => {
    const texts = withConventions(languages[language], { ...conventions, customersCalled: 'branches' })
    const exceptions = [choices, '.fields.employee_no', '.handOver.person.employee_no']
    assert.deepEqual(textsWith(texts, foreign[language], exceptions), [])
  })

/** The word for one thing in each language. A text that has it in English has it in the other languages too. */
const glossary = [
  { en: /\bassets?\b(?! tags?\b)/i, de: /Gerät/, tr: /demirbaş/i },
  { en: /\bstorage location/i, de: /Lagerort/, tr: /depo yeri/i },
  { en: /\bbranch(es)?\b/i, de: /Standort|Niederlassung/, tr: /şube/i },
  { en: /offboard/i, de: /Austritt/, tr: /işten çıkış/i },
  { en: /warrant/i, de: /Garantie/, tr: /garanti/i },
  { en: /repair/i, de: /Repar/i, tr: /servis/i },
  { en: /hand-over form/i, de: /Übergabeprotokoll/, tr: /zimmet .*tutana/i },
  { en: /equipment statement/i, de: /Geräteliste/, tr: /zimmet listesi/i },
  { en: /\bimport/i, de: /import/i, tr: /aktar/i },
  { en: /\bmapping/i, de: /vorlage/i, tr: /eşleme/i },
  { en: /filter/i, de: /Filter/, tr: /filtre/i },
  { en: /\b(undo|undone|undid)\b/i, de: /rückgängig/i, tr: /geri al/i },
  { en: /history/i, de: /verlauf|Vorgeschichte/i, tr: /geçmiş/i },
  { en: /settings/i, de: /Einstellungen/, tr: /ayar/i },
  { en: /security log/i, de: /Sicherheitsprotokoll/, tr: /güvenlik kayıtları/i },
  { en: /\btenants?\b/i, de: /Mandant|Die Datenbank/, tr: /firma/i },
  { en: /backup/i, de: /Sicherung/, tr: /yedek/i },
  { en: /one-time link/i, de: /Einmal-Link/, tr: /tek kullanımlık bağlantı/i },
  { en: /password/i, de: /Passwort/i, tr: /parola/i },
  { en: /manager/i, de: /Verwalter/, tr: /yönetici/i },
  { en: /\bdelet/i, de: /lösch/i, tr: /sil/i },
  { en: /discard/i, de: /verw[eo]rf/i, tr: /vazgeç/i },
  { en: /\btick(ed)?\b/i, de: /kreuz/i, tr: /işaret/i },
] as const

test('a thing has the same name in every text of a language', () => {
  const [english, german, turkish] = [languages.en, languages.de, languages.tr].map((texts) => new Map(textsOf(texts)))
  for (const { en, de, tr } of glossary)
    for (const [path, text] of english!) {
      if (!en.test(text)) continue
      assert.match(german!.get(path) ?? 'Gerät', de, `${path}: ${text}`)
      assert.match(turkish!.get(path)!.replaceAll('İ', 'i'), tr, `${path}: ${text}`)
    }
})

/** What no text of the panel contains: an exclamation mark, and the word “successfully”. */
const boasts = /!|successfully|erfolgreich [a-z]|başarıyla/i

test('no text exclaims, or says that something was successful', () => {
  for (const [language, texts] of Object.entries(languages))
    assert.deepEqual(textsWith(texts, boasts, []), [], language)
})

/** Returns which of its arguments each text with variables contains, and which plural forms contain the count. */
function variablesOf(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return path.endsWith('.other') && value.includes('#') ? [`${path}: #`] : []
  if (typeof value !== 'function')
    return Object.entries((value ?? {}) as object).flatMap(([name, item]) => variablesOf(item, `${path}.${name}`))
  const given = [41, 42, 43]
  const text = String(value(...given))
  return [`${path}: ${given.filter((each) => text.includes(String(each))).join(' ')}`]
}

for (const customersCalled of ['branches', 'clients'] as const)
  test(`every text contains the same variables in every language: ${customersCalled}`, () => {
    const [english, ...others] = Object.values<Texts>(languages).map((texts) =>
      variablesOf(withConventions(texts, { ...conventions, customersCalled })),
    )
    assert.ok(english!.length > 150, String(english!.length))
    for (const variables of others) assert.deepEqual(variables.sort(), english!.sort())
  })

for (const [language, words] of Object.entries({ en: /branch/i, de: /standort|niederlassung/i, tr: /şube/i }))
  test(`no text mentions branches if a tenant calls its customers “clients”: ${language}`, () => {
    const texts = withConventions(languages[language as Language], { ...conventions, customersCalled: 'clients' })
    assert.deepEqual(textsWith(texts, words, [choices]), [])
  })

test('every to-do begins with its number, because the home page shows the numbers in a column', () => {
  for (const [language, texts] of Object.entries<Texts>(languages))
    for (const [name, sentence] of Object.entries(texts.home.toDos))
      for (const count of [1, 41]) assert.match(sentence(count, 42), new RegExp(`^${count} `), `${language}: ${name}`)
})

test('no Turkish text appends a suffix to a variable, because the suffix would depend on the vowels of the value', () => {
  const files = readdirSync(turkish)
  assert.ok(files.length > 5)
  const found = files.flatMap((name) => {
    const lines = readFileSync(new URL(name, turkish), 'utf8').split('\n')
    return lines.filter((line) => /(\$\{[^}]*\}|#)['’]?\p{Ll}/u.test(line)).map((line) => `${name}: ${line.trim()}`)
  })
  assert.deepEqual(found, [])
})
