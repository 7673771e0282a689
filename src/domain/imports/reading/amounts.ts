// Reads amounts of money as spreadsheets write them, such as 1.299,90 or $1,299.90, or as a whole number of minor
// units.

type Separator = '.' | ','

/** How the amounts in a column are written. `unit`: `major` if any amount has decimals. `decimal`: the separator before
 *  the decimals, if all amounts in the column agree on one. `digits`: how many decimals the currency has. */
export type Amounts = { unit: 'major' | 'minor'; decimal: Separator | undefined; digits: number }

/** An amount without spaces or currency. `digits`: the amount's digits and separators. */
type WrittenAmount = { sign: string; digits: string }

/** An amount's separators, as far as their meaning is clear. */
type Separators = { decimal?: Separator; thousands?: Separator }

/** Detects how the amounts in a column are written. `digits`: how many decimals the currency has. */
export function watchAmounts(digits: number) {
  const decimals = new Set<Separator>()
  const thousands = new Set<Separator>()
  return {
    add(cell: string): void {
      const written = parse(cell)
      const reading = written && readSeparators(written.digits)
      if (reading?.decimal) decimals.add(reading.decimal)
      if (reading?.thousands) thousands.add(reading.thousands)
    },
    result(): Amounts {
      const unit = decimals.size > 0 ? 'major' : 'minor'
      const candidates = (['.', ','] as const).filter((separator) =>
        decimals.size > 0 ? decimals.has(separator) : thousands.size > 0 && !thousands.has(separator),
      )
      const isAgreed = candidates.length === 1 && !thousands.has(candidates[0]!)
      return { unit, decimal: isAgreed ? candidates[0] : undefined, digits }
    },
  }
}

/** Returns the amount in minor units as digits. A cell that is ambiguous, has too many decimals or is not an amount
 *  stays unchanged, so that validation rejects it. 1500.00 is accepted for a currency without decimals. */
export function readAmount(cell: string, { unit, decimal, digits }: Amounts): string {
  const written = parse(cell)
  if (!written) return cell
  const separator = readSeparators(written.digits)?.decimal ?? decimal
  if (separator === undefined && isAmbiguous(written.digits)) return cell
  const [whole, fraction = ''] = separator === undefined ? [written.digits] : split(written.digits, separator)
  const units = whole!.replaceAll(/[.,]/g, '')
  if (unit === 'minor') return fraction === '' ? written.sign + units : cell
  if (fraction.length > Math.max(digits, 2) || /[^0]/.test(fraction.slice(digits))) return cell
  return written.sign + units + fraction.slice(0, digits).padEnd(digits, '0')
}

/** Reads an ambiguous amount in major units as if its separator were a thousands separator: 1499 for `1.499`. Returns
 *  undefined for other cells. */
export function wholeAmount(cell: string): number | undefined {
  const written = parse(cell)
  return written && isAmbiguous(written.digits) ? Number(written.digits.replaceAll(/[.,]/g, '')) : undefined
}

/** Removes spaces, the apostrophes that Swiss amounts use as thousands separators, and a currency before or after the
 *  number. Returns undefined for text that is not an amount. */
function parse(cell: string): WrittenAmount | undefined {
  const compact = cell.replaceAll(/[\s\u00a0\u202f'’]/g, '')
  const match = /^(-?)(?:\p{Sc}|[A-Z]{3}|TL)?(-?)(\d[\d.,]*)(?:\p{Sc}|[A-Z]{3}|TL)?$/u.exec(compact)
  if (!match || !/\d$/.test(match[3]!) || (match[1] && match[2])) return undefined
  return isNumber(match[3]!) ? { sign: match[1]! + match[2]!, digits: match[3]! } : undefined
}

/** Whether the groups of digits form one number. */
function isNumber(digits: string): boolean {
  return /^\d+([.,]\d+)?$|^\d{1,3}(\.\d{3})+(,\d+)?$|^\d{1,3}(,\d{3})+(\.\d+)?$/.test(digits)
}

/** Undefined if there are no separators, or if they are ambiguous. */
function readSeparators(digits: string): Separators | undefined {
  const separators = digits.replaceAll(/\d/g, '')
  if (separators === '' || isAmbiguous(digits)) return undefined
  const [first, last] = [separators[0] as Separator, separators.at(-1) as Separator]
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
