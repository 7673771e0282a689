// Chooses the singular or the plural form of a text that contains a number.

const formatters = new Map<string, { plurals: Intl.PluralRules; numbers: Intl.NumberFormat }>()

/** Returns the form for a count, with `#` replaced by the formatted count. */
export function plural(locale: string, count: number, forms: { one: string; other: string }): string {
  const formatter = formatters.get(locale) ?? {
    plurals: new Intl.PluralRules(locale),
    numbers: new Intl.NumberFormat(locale),
  }
  formatters.set(locale, formatter)
  const form = formatter.plurals.select(count) === 'one' ? forms.one : forms.other
  return form.replace('#', formatter.numbers.format(count))
}
