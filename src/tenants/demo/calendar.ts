// The days and times of the demo company, counted back from today in its time zone.

export type Calendar = {
  /** Returns a day as `YYYY-MM-DD`; the Friday before, if the day is on a weekend. `day`: the number of days before
   *  today; negative for days to come. */
  date(day: number): string
  /** Returns a time on such a day, but at least a few minutes after the last returned time. */
  momentAfterLast(day: number, at: string): Date
}

const dayMs = 24 * 60 * 60_000
const pauseMs = 7 * 60_000

export function calendarFrom(now: Date, timeZone: string): Calendar {
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  const offsetAt = (moment: number) => Date.parse(`${local.format(moment).replace(' ', 'T')}Z`) - moment
  const today = Date.parse(local.format(now).slice(0, 10))
  let last = 0
  const date = (day: number) => {
    const moment = today - day * dayMs
    const daysAfterFriday = Math.max(0, ((new Date(moment).getUTCDay() + 6) % 7) - 4)
    return new Date(moment - daysAfterFriday * dayMs).toISOString().slice(0, 10)
  }
  return {
    date,
    momentAfterLast(day, at) {
      const moment = Date.parse(`${date(day)}T${at}Z`)
      last = Math.max(moment - offsetAt(moment), last + pauseMs)
      return new Date(last)
    },
  }
}
