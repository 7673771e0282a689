// The panel's texts in each language, and functions that format dates, durations and numbers. The language comes from
// the user's setting or from the browser.

import { de } from './de/index.ts'
import { en } from './en/index.ts'
import type { ResourceTexts } from './resource-texts.ts'
import { tr } from './tr/index.ts'

/** The tenant's settings that determine how its pages display and parse values. `noticeDays`: a warranty or contract is
 *  ending soon if it ends within this many days. */
export type Conventions = {
  currency: string
  timeZone: string
  customersCalled: 'branches' | 'clients'
  noticeDays: number
}

/** `conventions`: the tenant's conventions; undefined on pages that do not belong to a tenant. */
export type Texts = typeof en & { conventions?: Conventions }
export type RefusalName = keyof Texts['refusals']

/** English comes first, because it is the default. */
export const languages = { en, de, tr } as const satisfies Record<string, Texts>

export type Language = keyof typeof languages

export function isLanguage(name: string): name is Language {
  return Object.hasOwn(languages, name)
}

/** Returns the language of these texts. */
export function languageOf({ locale }: Texts): Language {
  const [name] = Object.entries(languages).find(([, texts]) => texts.locale === locale) ?? []
  return (name as Language | undefined) ?? 'en'
}

export function isTheme(name: string): boolean {
  return Object.hasOwn(en.themes, name)
}

/** Returns the supported language that an Accept-Language header prefers; otherwise English. */
export function chooseLanguage(header = ''): Language {
  const ranges = header.split(',').map((piece) => {
    const [range = '', ...rest] = piece.trim().toLowerCase().split(';')
    const weight = Number(/q=([\d.]+)/.exec(rest.join(';'))?.[1] ?? 1)
    return { language: range.split('-')[0]!, weight }
  })
  const supportedRanges = ranges.filter(({ language, weight }) => isLanguage(language) && weight > 0)
  return (supportedRanges.sort((a, b) => b.weight - a.weight)[0]?.language as Language | undefined) ?? 'en'
}

/** Returns a field's label, or the field's name as words if there is no translation. */
export function fieldLabel(texts: Texts, name: string): string {
  return ownText(texts.fields, name) ?? words(name.replace(/_id$/, ''))
}

/** Returns the texts about a resource. If the resource has none, returns general texts with its API name. */
export function resourceTexts(texts: Texts, name: string): ResourceTexts {
  return ownText<ResourceTexts>(texts.resources, name) ?? generalTexts(texts, name)
}

export function generalTexts({ otherRecords }: Texts, name: string): ResourceTexts {
  const many = words(name)
  return { ...otherRecords, many, new: `${otherRecords.new}: ${many}`, add: `${otherRecords.add}: ${many}` }
}

/** Returns the label for the subject of a history entry or permission, such as a resource. */
export function subjectLabel(texts: Texts, name: string): string {
  return ownText(texts.subjects, name) ?? resourceTexts(texts, name).many
}

export function choiceLabel(texts: Texts, choice: string): string {
  return ownText(texts.choices, choice) ?? words(choice)
}

/** Looks up a name from a request. Ignores properties that every object has, such as `constructor`. */
export function ownText<T>(texts: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined
}

/** Writes the first letter as a capital, as at the start of a label. */
export function capitalize({ locale }: Texts, text: string): string {
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1)
}

function words(name: string): string {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Cached per language, because creating an Intl formatter takes longer than rendering a table row. */
type Formatters = { day: Intl.DateTimeFormat; number: Intl.NumberFormat }

const formatters = new Map<string, Formatters>()

function formattersFor({ locale }: Texts): Formatters {
  const cachedFormatters = formatters.get(locale)
  if (cachedFormatters) return cachedFormatters
  const created = {
    day: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }),
    number: new Intl.NumberFormat(locale),
  }
  formatters.set(locale, created)
  return created
}

export function formatDate(texts: Texts, day: string): string {
  return formattersFor(texts).day.format(new Date(`${day}T00:00:00Z`))
}

/** Formats a duration of less than two minutes in seconds, and a longer one in whole minutes, rounded up. */
export function formatDuration({ locale }: Texts, seconds: number): string {
  const [count, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

export function formatNumber(texts: Texts, number: number): string {
  return formattersFor(texts).number.format(number)
}
