// Reads dates in the formats that spreadsheets use.

/** How the dates with slashes in a column are written. `unclear`: no date shows whether the day or the month comes
 *  first, or some dates contradict others. */
export type SlashedDates = 'day first' | 'month first' | 'unclear'

const withDots = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/
const withSlashes = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/

/** Detects how the dates in a column are written. `result` is undefined if no date has slashes. */
export function watchDates() {
  let [slashed, dayFirst, monthFirst] = [false, false, false]
  return {
    add(cell: string): void {
      const [, first, second] = withSlashes.exec(cell) ?? []
      if (first === undefined) return
      slashed = true
      dayFirst ||= Number(first) > 12
      monthFirst ||= Number(second) > 12
    },
    result(): SlashedDates | undefined {
      if (!slashed) return undefined
      if (dayFirst === monthFirst) return 'unclear'
      return dayFirst ? 'day first' : 'month first'
    },
  }
}

/** Returns the date as `YYYY-MM-DD`, or the unchanged cell if its format is unknown or unclear. Validation later checks
 *  whether the date exists. */
export function readDate(cell: string, slashed: SlashedDates | undefined): string {
  const dots = withDots.exec(cell)
  if (dots) return isoDate(dots[3]!, dots[2]!, dots[1]!)
  const slashes = withSlashes.exec(cell)
  if (!slashes || slashed === undefined || slashed === 'unclear') return cell
  const [, first, second, year] = slashes as unknown as [string, string, string, string]
  return slashed === 'day first' ? isoDate(year, second, first) : isoDate(year, first, second)
}

function isoDate(year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}
