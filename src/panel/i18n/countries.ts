// Lists the ISO 3166-1 countries. Forms show a country's name; records store its code.

import type { Texts } from './index.ts'

const codes = `
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD
CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF
GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN
KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI
SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI
VN VU WF WS YE YT ZA ZM ZW`

export const countryCodes: readonly string[] = codes.trim().split(/\s+/)

/** Cached per language, because naming and sorting all countries takes longer than rendering a form. */
const countriesByLocale = new Map<
  string,
  { names: Intl.DisplayNames; list: (readonly [code: string, name: string])[] }
>()

/** Returns all countries, in the language's alphabetical order. */
export function countries(texts: Texts): readonly (readonly [code: string, name: string])[] {
  return countriesIn(texts).list
}

/** Returns the country's name, or the text itself if it is not a country code. */
export function countryName(texts: Texts, code: string): string {
  return /^[a-z]{2}$/i.test(code) ? countriesIn(texts).names.of(code.toUpperCase())! : code
}

function countriesIn({ locale }: Texts) {
  const cachedCountries = countriesByLocale.get(locale)
  if (cachedCountries) return cachedCountries
  const names = new Intl.DisplayNames(locale, { type: 'region' })
  const { compare } = new Intl.Collator(locale)
  const list = countryCodes.map((code) => [code, names.of(code)!] as const)
  const created = { names, list: list.toSorted(([, one], [, other]) => compare(one, other)) }
  countriesByLocale.set(locale, created)
  return created
}
