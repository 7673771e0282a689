// Suggests tags for new assets, from the tenant's settings `tag_format` and `next_tag_number`.

import type { Database } from '../database/database.ts'
import { padded, places } from '../database/value-list.ts'

/** Numbers that one statement looks up. */
const numbersPerQuery = 64

/** The largest number of a tag. */
const lastNumber = 999_999_999

/** The next `count` tags that nobody has: those after a run of used numbers that starts at `next_tag_number`. None without a
 *  format. Numbers are not reserved: of two people who are offered the same tag, the second one is refused as `duplicate`. */
export async function nextTags(database: Database, count: number): Promise<string[]> {
  const row = await database.get('select tag_format, next_tag_number from settings where id = 1')
  if (!row?.tag_format) return []
  const format = row.tag_format as string
  const isUsed = (numbers: number[]) => usedNumbers(database, format, numbers)
  const found: number[] = []
  let from = Number(row.next_tag_number ?? 1)
  while (found.length < count && from <= lastNumber) {
    from = await endOfRun(isUsed, from)
    const numbers = Array.from({ length: count }, (_, at) => from + at).filter((number) => number <= lastNumber)
    const used = await isUsed(numbers)
    found.push(...numbers.filter((number) => !used.has(number)))
    from += count
  }
  return found.slice(0, count).map((number) => tagOf(format, number))
}

/** A number from `from` on that is free while the one before it is used, or `from` itself: looks further and further ahead, and
 *  then closer and closer, so that 100,000 used numbers take a few queries. */
async function endOfRun(isUsed: (numbers: number[]) => Promise<Set<number>>, from: number): Promise<number> {
  let [used, free] = [from - 1, lastNumber + 1]
  let points = Array.from({ length: 30 }, (_, power) => used + 2 ** power)
  while (free - used > 1) {
    const within = points.filter((number) => number > used && number < free)
    const known = await isUsed(within)
    const firstFree = within.find((number) => !known.has(number)) ?? free
    used = Math.max(used, ...within.filter((number) => number < firstFree))
    free = firstFree
    const step = Math.max(1, Math.ceil((free - used) / numbersPerQuery))
    points = Array.from({ length: numbersPerQuery }, (_, at) => used + (at + 1) * step)
  }
  return free
}

async function usedNumbers(database: Database, format: string, numbers: readonly number[]): Promise<Set<number>> {
  if (numbers.length === 0) return new Set()
  const byTag = new Map(numbers.map((number) => [tagOf(format, number), number]))
  const tags = [...byTag.keys()]
  const rows = await database.all(`select asset_tag from hardware where asset_tag in (${places(tags)})`, padded(tags))
  return new Set(rows.map((row) => byTag.get(row.asset_tag as string)!))
}

/** `TD-{0000}` and 12 are TD-0012. */
function tagOf(format: string, number: number): string {
  return format.replace(/\{(0+)\}/, (_, zeros: string) => String(number).padStart(zeros.length, '0'))
}
