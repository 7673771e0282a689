// The formats that some text fields require, by the name that declarations use.

import { isOneLine } from '../../lib/text.ts'

export type TextFormatName = keyof typeof textFormats

type TextFormat = { matches(text: string): boolean; code: 'not_in_list' | 'invalid_text'; message: string }

export const textFormats = {
  currency: {
    matches: (text) => currencies.has(text),
    code: 'not_in_list',
    message: 'Must be the ISO 4217 code of a currency, such as EUR.',
  },
  time_zone: {
    matches: isTimeZone,
    code: 'not_in_list',
    message: 'Must be the IANA name of a time zone, such as Europe/Berlin.',
  },
  tag: {
    matches: (text) => isOneLine(text) && /^[^{}]*\{0{1,9}\}[^{}]*$/.test(text),
    code: 'invalid_text',
    message:
      'Must be one line with exactly one placeholder for the number, made of 1 to 9 zeros in braces, such as TD-{0000}.',
  },
  one_line: {
    matches: isOneLine,
    code: 'invalid_text',
    message: 'Must be one line without control characters.',
  },
} as const satisfies Record<string, TextFormat>

/** The currencies that this version of Node.js knows. */
export const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** How many decimals amounts in the currency have: 2 for EUR, 0 for JPY. */
export function decimalsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 0
}

/** Accepts aliases that `Intl.supportedValuesOf` does not list, but no offsets such as +01:00. */
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}
