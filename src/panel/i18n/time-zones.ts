// The time zones that forms offer, and the currency that people use there.

import { currencies } from '../../domain/fields/text-formats.ts'
import { countryCodes } from './countries.ts'

/** The countries that use the currencies in which most companies keep their books. A form suggests a currency, which
 *  people can change, so the list need not be complete. */
const countriesByCurrency = {
  EUR: 'AD AT BE BG CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MQ MT NL PT RE SI SK SM VA XK YT',
  USD: 'AS EC GU MP PR SV US VI',
  AED: 'AE',
  AUD: 'AU',
  BRL: 'BR',
  CAD: 'CA',
  CHF: 'CH LI',
  CNY: 'CN',
  CZK: 'CZ',
  DKK: 'DK FO GL',
  EGP: 'EG',
  GBP: 'GB GG IM JE',
  HKD: 'HK',
  HUF: 'HU',
  IDR: 'ID',
  ILS: 'IL',
  INR: 'IN',
  ISK: 'IS',
  JPY: 'JP',
  KRW: 'KR',
  MXN: 'MX',
  MYR: 'MY',
  NOK: 'NO SJ',
  NZD: 'NZ',
  PHP: 'PH',
  PLN: 'PL',
  QAR: 'QA',
  RON: 'RO',
  RSD: 'RS',
  SAR: 'SA',
  SEK: 'SE',
  SGD: 'SG',
  THB: 'TH',
  TRY: 'TR',
  TWD: 'TW',
  UAH: 'UA',
  ZAR: 'ZA',
}

const currencyByCountry = new Map(
  Object.entries(countriesByCurrency).flatMap(([currency, codes]) => codes.split(' ').map((code) => [code, currency])),
)

/** Computed at the first use, because it takes 20 ms. */
let currencyByZone: ReadonlyMap<string, string> | undefined

/** Returns the currency that people in the time zone use; the default of new tenants if the zone is not known. */
export function currencyIn(timeZone: string): string {
  currencyByZone ??= new Map(
    countryCodes.flatMap((code) => {
      const zones = new Intl.Locale(`und-${code}`).getTimeZones() ?? []
      const currency = currencyByCountry.get(code)
      return currency !== undefined && currencies.has(currency) ? zones.map((zone) => [zone, currency]) : []
    }),
  )
  return currencyByZone.get(timeZone) ?? 'EUR'
}

/** IANA names in alphabetical order, after UTC. */
export const timeZones: readonly string[] = [
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC'),
]
