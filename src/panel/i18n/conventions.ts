// Formats and parses amounts and times in the tenant's currency and time zone, and adapts texts to the tenant's word
// for customers. The API uses minor units and UTC.

import { deriveOnce } from '../../domain/declarations/resource.ts'
import { decimalsOf } from '../../domain/fields/text-formats.ts'
import { readAmount, wholeAmount } from '../../domain/imports/file/amounts.ts'
import { clients as de } from './de/clients.ts'
import { clients as en } from './en/clients.ts'
import type { Conventions, Texts } from './index.ts'
import { replaceTexts, type TextChanges } from './replace-texts.ts'
import { clients as tr } from './tr/clients.ts'

/** The conventions for pages that do not belong to a tenant. */
const defaultConventions: Conventions = {
  currency: 'EUR',
  timeZone: 'UTC',
  customersCalled: 'branches',
  noticeDays: 60,
}

export function withConventions(texts: Texts, conventions: Conventions): Texts {
  return { ...(conventions.customersCalled === 'clients' ? withClients(texts) : texts), conventions }
}

/** Other spellings of their names are ignored, so that the cached texts stay few. */
const zones = new Set(Intl.supportedValuesOf('timeZone'))

/** Texts by locale and time zone. */
const zonedTexts = new Map<string, Texts>()

/** Adapts the texts of pages that do not belong to a tenant to the user's time zone, if it is known. Returns the same
 *  object for the same zone, because texts derived from it are cached. */
export function inTimeZone(texts: Texts, timeZone: string | undefined): Texts {
  if (timeZone === undefined || !zones.has(timeZone)) return texts
  return cached(zonedTexts, `${texts.locale} ${timeZone}`, () => ({
    ...texts,
    conventions: { ...defaultConventions, timeZone },
  }))
}

/** Replaces so many texts that it takes time. */
const withClients = deriveOnce((texts: Texts): Texts => {
  const changed: Record<string, TextChanges<Texts>> = { 'en-GB': en, 'de-DE': de, 'tr-TR': tr }
  return replaceTexts(texts, changed[texts.locale]!)
})

/** Cached, because creating an Intl formatter takes longer than rendering a table row. */
const moments = new Map<string, { moment: Intl.DateTimeFormat; zone: Intl.DateTimeFormat }>()
const days = new Map<string, Intl.DateTimeFormat>()
const amounts = new Map<
  string,
  { amount: Intl.NumberFormat; whole: Intl.NumberFormat; input: Intl.NumberFormat; digits: number; currency: string }
>()

/** Formats date and time, with the time zone's short name at the end. */
export function formatDateTime({ locale, conventions = defaultConventions }: Texts, moment: string): string {
  const { timeZone } = conventions
  const formats = cached(moments, `${locale} ${timeZone}`, () => ({
    moment: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }),
    zone: new Intl.DateTimeFormat(locale, { timeZoneName: 'short', timeZone }),
  }))
  const time = new Date(moment)
  const zone = formats.zone.formatToParts(time).find(({ type }) => type === 'timeZoneName')!.value
  return `${formats.moment.format(time)} ${zone}`
}

/** Returns the day in the tenant's time zone as `YYYY-MM-DD`. */
export function dayOf(texts: Texts, moment: Date): string {
  return dayIn(timeZoneOf(texts), moment)
}

/** Returns the day in a time zone as `YYYY-MM-DD`. */
export function dayIn(timeZone: string, moment: Date): string {
  const day = cached(
    days,
    timeZone,
    () => new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }),
  )
  const parts = new Map(day.formatToParts(moment).map(({ type, value }) => [type, value]))
  return `${parts.get('year')!.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
}

/** A warranty or contract is ending soon if it ends within this many days. */
export function noticeDaysOf({ conventions = defaultConventions }: Texts): number {
  return conventions.noticeDays
}

export function timeZoneOf({ conventions = defaultConventions }: Texts): string {
  return conventions.timeZone
}

export function currencyOf({ conventions = defaultConventions }: Texts): string {
  return conventions.currency
}

/** `minorUnits`: an integer. */
export function formatAmount(texts: Texts, minorUnits: unknown): string {
  const { amount, digits } = amountFormats(texts)
  return amount.format(decimalOf(Number(minorUnits), digits))
}

/** Formats a total, rounded to whole units of the currency. */
export function formatWholeAmount(texts: Texts, minorUnits: number): string {
  const { whole, digits } = amountFormats(texts)
  return whole.format(minorUnits / 10 ** digits)
}

/** Formats an amount as a user types it, with decimals but without the currency. */
export function amountInput(texts: Texts, minorUnits: number): string {
  const { input, digits } = amountFormats(texts)
  return input.format(decimalOf(minorUnits, digits))
}

/** Returns the typed amount in minor units, as digits. An empty input stays empty. For any other input, returns a text
 *  that validation rejects. */
export function parseAmount(texts: Texts, typed: string): string {
  if (typed.trim() === '') return typed
  const { input, digits, currency } = amountFormats(texts)
  const decimal = input.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value
  const amount = readAmount(typed, { unit: 'major', decimal: decimal === ',' ? ',' : '.', digits, currency })
  return 'minorUnits' in amount ? amount.minorUnits : notAnAmount
}

/** Returns the error message for an input that is ambiguous or not an amount. */
export function amountMessage(texts: Texts, typed: string): string {
  const { digits } = amountFormats(texts)
  const whole = wholeAmount(typed)
  if (whole === undefined) return texts.records.invalidAmount(amountInput(texts, 129990))
  const format = new Intl.NumberFormat(texts.locale, { minimumFractionDigits: digits })
  return texts.records.unclearAmount(format.format(whole))
}

/** Validation rejects this text. It replaces inputs that are not amounts but could be mistaken for minor units. */
const notAnAmount = 'not an amount'

function amountFormats({ locale, conventions = defaultConventions }: Texts) {
  const { currency } = conventions
  return cached(amounts, `${locale} ${currency}`, () => {
    const amount = new Intl.NumberFormat(locale, { style: 'currency', currency })
    const whole = new Intl.NumberFormat(locale, { style: 'currency', currency, maximumFractionDigits: 0 })
    const digits = decimalsOf(currency)
    const fixed = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    return { amount, whole, digits, currency, input: new Intl.NumberFormat(locale, { useGrouping: false, ...fixed }) }
  })
}

/** Returns the amount in major units as text, because dividing numbers would round large amounts. */
function decimalOf(minorUnits: number, digits: number): Intl.StringNumericLiteral {
  const sign = minorUnits < 0 ? '-' : ''
  const text = String(Math.abs(minorUnits)).padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  return `${sign}${whole}${digits > 0 ? `.${text.slice(-digits)}` : ''}` as Intl.StringNumericLiteral
}

function cached<Formats>(known: Map<string, Formats>, key: string, make: () => Formats): Formats {
  const formats = known.get(key) ?? make()
  known.set(key, formats)
  return formats
}

/** Timestamps are compared as text, so they have years of four digits. */
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z')

/** Returns the first moment after a day in the tenant's time zone, as a timestamp in UTC. */
export function dayAfter({ conventions = defaultConventions }: Texts, day: string): string {
  return new Date(Math.min(startOfDayAfter(day, conventions.timeZone), lastMoment)).toISOString()
}

/** Returns the last millisecond of a day in the tenant's time zone, as a timestamp in UTC. */
export function endOfDay({ conventions = defaultConventions }: Texts, day: string): string {
  return new Date(Math.min(startOfDayAfter(day, conventions.timeZone) - 1, lastMoment)).toISOString()
}

/** No time zone is further than this from UTC. */
const maxOffsetSeconds = 16 * 3600

/** Returns the first moment after a day. The moment is found by a binary search, because the next day may begin at
 *  01:00, or not exist: some zones change their clocks at midnight. */
function startOfDayAfter(day: string, timeZone: string): number {
  const midnight = Date.parse(`${day}T00:00:00Z`) / 1000 + 86_400
  let [within, after] = [midnight - maxOffsetSeconds, midnight + maxOffsetSeconds]
  while (after - within > 1) {
    const middle = Math.floor((within + after) / 2)
    if (dayIn(timeZone, new Date(middle * 1000)) <= day) within = middle
    else after = middle
  }
  return after * 1000
}
