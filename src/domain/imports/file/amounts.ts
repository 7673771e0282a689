// Reads amounts of money as spreadsheets and programs write them, such as 1.299,90, $1,299.90 or 1249.0000 (contract
// §17).

/** In which unit amounts are written: 12.50 euros are `12.50` in major units, and `1250` in minor units. */
export const amountUnits = ['major', 'minor'] as const

export type AmountUnit = (typeof amountUnits)[number]

/** A currency: its ISO 4217 code, and how many decimals it has. */
export type Currency = { code: string; digits: number }

/** How the amounts in a column are written. `decimal`: the separator before the decimals, if all amounts in the column
 *  agree on one. `digits`: how many decimals the currency has. `currency`: its code, which imports lack that version
 *  1.0.0 has checked. */
export type AmountFormat = { unit: AmountUnit; decimal: Separator | undefined; digits: number; currency?: string }

type Separator = '.' | ','

/** The cell's amount in minor units, as digits. `wrong_currency`: the cell names another currency. `unclear`: it has no
 *  amount, too many decimals, or a separator that can mean two things. */
export type ReadAmount = { minorUnits: string } | { fault: 'wrong_currency' | 'unclear' }

/** An amount without spaces. `digits`: the amount's digits and separators. `currencies`: the signs before and after. */
type WrittenAmount = { sign: string; digits: string; currencies: string[] }

/** An amount's separators, as far as their meaning is clear. */
type Separators = { decimal?: Separator; thousands?: Separator }

/** Detects how the amounts of a column are written. */
export function watchAmounts(unit: AmountUnit, { code, digits }: Currency) {
  const decimals = new Set<Separator>()
  const thousands = new Set<Separator>()
  return {
    add(cell: string): void {
      const written = parse(cell)
      const reading = written && readSeparators(written.digits)
      if (reading?.decimal) decimals.add(reading.decimal)
      if (reading?.thousands) thousands.add(reading.thousands)
    },
    format(): { amounts: AmountFormat } {
      const candidates = (['.', ','] as const).filter((separator) =>
        decimals.size > 0 ? decimals.has(separator) : thousands.size > 0 && !thousands.has(separator),
      )
      const isAgreed = candidates.length === 1 && !thousands.has(candidates[0]!)
      return { amounts: { unit, decimal: isAgreed ? candidates[0] : undefined, digits, currency: code } }
    },
  }
}

/** Programs such as GLPI write amounts with this many decimals, whatever the currency. */
const maxDecimals = 4

export function readAmount(cell: string, { unit, decimal, digits, currency }: AmountFormat): ReadAmount {
  const written = parse(cell)
  if (!written) return { fault: 'unclear' }
  if (currency !== undefined && !written.currencies.every((sign) => signsOf(currency).has(sign)))
    return { fault: 'wrong_currency' }
  const separator = readSeparators(written.digits)?.decimal ?? decimal
  // A currency without decimals has no 1.299, so its separators are between thousands.
  if (separator === undefined && digits > 0 && isAmbiguous(written.digits)) return { fault: 'unclear' }
  const [whole, fraction = ''] = separator === undefined ? [written.digits] : split(written.digits, separator)
  const units = written.sign + whole!.replaceAll(/[.,]/g, '')
  if (unit === 'minor') return fraction === '' ? { minorUnits: units } : { fault: 'unclear' }
  if (fraction.length > maxDecimals || /[^0]/.test(fraction.slice(digits))) return { fault: 'unclear' }
  return { minorUnits: units + fraction.slice(0, digits).padEnd(digits, '0') }
}

export function isAmountText(cell: string): boolean {
  return parse(cell) !== undefined
}

/** Reads an ambiguous amount in major units as if its separator were a thousands separator: 1499 for `1.499`. Returns
 *  undefined for other cells. */
export function wholeAmount(cell: string): number | undefined {
  const written = parse(cell)
  return written && isAmbiguous(written.digits) ? Number(written.digits.replaceAll(/[.,]/g, '')) : undefined
}

const codes = new Set(Intl.supportedValuesOf('currency'))

/** Signs and words for currencies that people write, but Intl does not, in lower case. */
const otherSigns = new Map(
  'TRY tl ytl|EUR euro|USD us$ dollar|CHF fr sfr|SEK kr|PLN zł|CZK kč|HUF ft|RON lei|RUB руб|INR rs|JPY 円'
    .split('|')
    .flatMap((line) => {
      const [code, ...written] = line.split(' ')
      return written.map((sign) => [sign, code!] as const)
    }),
)

const signs = new Map<string, ReadonlySet<string>>()

/** The code and the signs of a currency: EUR and €; CAD, CA$ and $. */
function signsOf(code: string): ReadonlySet<string> {
  let known = signs.get(code)
  if (!known) {
    const shown = ['en', 'de', 'tr'].flatMap((locale) =>
      (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) => {
        const format = new Intl.NumberFormat(locale, { style: 'currency', currency: code, currencyDisplay })
        return format.formatToParts(0).find(({ type }) => type === 'currency')!.value
      }),
    )
    const others = [...otherSigns].filter(([, of]) => of === code).map(([sign]) => sign)
    known = new Set([code, ...shown, ...others].map(normalizeSign))
    signs.set(code, known)
  }
  return known
}

function normalizeSign(sign: string): string {
  return sign.normalize('NFKC').toLowerCase().replace(/\.$/, '')
}

/** Whether the text is the sign or the code of some currency. */
function isSign(text: string): boolean {
  return /\p{Sc}/u.test(text) || codes.has(text.toUpperCase()) || otherSigns.has(normalizeSign(text))
}

const written =
  /^(?<minus>-?)(?<before>[\p{L}\p{Sc}]{1,7}\.?)?(?<sign>-?)(?<digits>[.,]?\d[\d.,]*)(?<after>[\p{L}\p{Sc}]{1,7}\.?)?$/u

/** Removes spaces and the apostrophes that Swiss amounts use as thousands separators. Returns undefined for text that
 *  is not an amount. */
function parse(cell: string): WrittenAmount | undefined {
  const compact = cell.replaceAll(/[\s\u00a0\u202f'’]/g, '').replace(/([.,])[-–—]+(?=\D*$)/, '$100') // 1.299,- €
  const { minus = '', before, sign = '', digits: given, after } = written.exec(compact)?.groups ?? {}
  const digits = given?.replace(/^[.,]/, '0$&')
  if (digits === undefined || !/\d$/.test(digits) || (minus && sign) || !isNumber(digits)) return undefined
  const currencies = [before, after].filter((each) => each !== undefined)
  return currencies.every(isSign)
    ? { sign: minus + sign, digits, currencies: currencies.map(normalizeSign) }
    : undefined
}

/** Whether the groups of digits form one number, such as 1,299,000 or in India 12,99,000. */
function isNumber(digits: string): boolean {
  return /^\d+([.,]\d+)?$|^\d{1,3}(\.\d{3})+(,\d+)?$|^\d{1,3}(,\d{3})+(\.\d+)?$|^\d{1,2}(,\d{2})+,\d{3}(\.\d+)?$/.test(
    digits,
  )
}

/** Undefined if there are no separators, or if they are ambiguous. */
function readSeparators(digits: string): Separators | undefined {
  const separators = digits.replaceAll(/\d/g, '')
  if (separators === '' || isAmbiguous(digits)) return undefined
  const first: Separator = separators.startsWith('.') ? '.' : ','
  const last: Separator = separators.endsWith('.') ? '.' : ','
  if (first !== last) return { decimal: last, thousands: first }
  return separators.length > 1 ? { thousands: first } : { decimal: first }
}

/** `1.299` can mean 1299 or 1.299; `0.299`, `1234.567` and `12.5` are unambiguous. */
function isAmbiguous(digits: string): boolean {
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)
}

function split(digits: string, separator: Separator): string[] {
  const index = digits.lastIndexOf(separator)
  return index === -1 ? [digits] : [digits.slice(0, index), digits.slice(index + 1)]
}
