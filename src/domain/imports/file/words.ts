// The words of an imported file that mean yes or no, a choice or a country (contract §17).

import { wordsOfChoice } from '../../declarations/labels.ts'
import { deriveOnce, type Resource } from '../../declarations/resource.ts'
import { fold } from '../../search/fold.ts'

/** Words for yes and no, as lists contain them in many languages. */
const yes =
  'true t yes y 1 on x × ✓ ✔ ✅ ☑ ☒ ok active activated enabled checked ja j aktiv aktiviert wahr ein an evet e aktif etkin doğru açık var oui vrai actif sí si vero verdadero sì sim tak prawda ano waar'

const no =
  'false f no n 0 off ☐ ✗ ✘ ❌ inactive notactive passive deactivated disabled unchecked nein inaktiv nichtaktiv passiv deaktiviert falsch aus hayır h pasif aktifdeğil etkindeğil devredışı yanlış kapalı yok non faux inactif falso não nie fałsz ne nee onwaar nej nei'

const meanings = new Map<string, boolean>([
  ...yes.split(' ').map((word): [string, boolean] => [normalizeWord(word), true]),
  ...no.split(' ').map((word): [string, boolean] => [normalizeWord(word), false]),
])

/** Ignores case, accents, blanks, hyphens, underscores and what makes a sign an emoji. */
function normalizeWord(word: string): string {
  return fold(word).replaceAll(/[\s.\-_]|\ufe0f/g, '')
}

/** Returns undefined for a word that means neither. Some programs write `1.0`, and some lists `Aktiv (ja)` or `[x]`. */
export function readYesNo(cell: string): boolean | undefined {
  const word = cell.replace(/^([01])[.,]0+$/, '$1').replace(/^[[(](.*)[\])]$|(?<=\S)\s*\(.*\)$/, '$1')
  return meanings.get(normalizeWord(word))
}

/** The choices of a resource by the words that mean them, normalized. */
const choicesByWord = deriveOnce((resource: Resource) => {
  const choices = Object.values(resource.fields).flatMap((field) => (field.kind === 'choice' ? field.of : []))
  return new Map(
    choices.map(
      (choice) => [choice, new Set([choice, ...wordsOfChoice(resource, choice)].map(normalizeWord))] as const,
    ),
  )
})

/** Returns the choice that a cell means: by its name, or by one of its labels. */
export function readChoiceWord(resource: Resource, choices: readonly string[], cell: string): string | undefined {
  const word = normalizeWord(cell)
  return choices.find((choice) => choicesByWord(resource).get(choice)?.has(word))
}

/** Further names of countries, by code. */
const otherNames: Record<string, string> = {
  US: 'USA, U.S.A., United States of America',
  GB: 'UK, U.K., Great Britain, England, Großbritannien, İngiltere',
  NL: 'The Netherlands, Holland, Hollanda',
  TR: 'Turkey, Republic of Türkiye',
  CZ: 'Czech Republic, Tschechische Republik',
}

/** The countries' codes by their names in the panel's languages, normalized. */
let codesByName: Map<string, string> | undefined

/** Returns the code of the country that a cell names, or the unchanged cell. */
export function readCountry(cell: string): string {
  codesByName ??= new Map(['en', 'de', 'tr'].flatMap(namesOfCountries))
  return codesByName.get(normalizeWord(cell)) ?? cell
}

function namesOfCountries(locale: string): [string, string][] {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' })
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  // A former code, such as DD or UK, has the name of the present one.
  const present = codes.filter((code) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`)
  return present.flatMap((code) => {
    const others = otherNames[code]?.split(', ') ?? []
    return [names.of(code) ?? [], others].flat().map((name): [string, string] => [normalizeWord(name), code])
  })
}
