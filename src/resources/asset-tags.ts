// Suggests tags for new assets, from the tenant's settings `tag_format` and `next_tag_number`.

import type { Database } from '../database/database.ts'
import { padValues, placeholders } from '../database/value-list.ts'

/** How many numbers one statement looks up. */
const numbersPerQuery = 64

/** The largest number that a tag can contain. */
const lastNumber = 999_999_999

/** Returns the next `count` unused tags, skipping the run of used numbers that starts at `next_tag_number`. Returns an
 *  empty list if the settings have no tag format. Numbers are not reserved: if two people are offered the same tag, the
 *  second person to save it gets the error `duplicate`. */
export async function nextTags(database: Database, count: number): Promise<string[]> {
  const row = await database.get('select tag_format, next_tag_number from settings where id = 1')
  if (!row?.tag_format) return []
  const format = row.tag_format as string
  const findUsed = (numbers: number[]) => usedNumbers(database, format, numbers)
  const found: number[] = []
  let from = Number(row.next_tag_number ?? 1)
  while (found.length < count && from <= lastNumber) {
    from = await endOfRun(findUsed, from)
    const numbers = Array.from({ length: count }, (_, index) => from + index).filter((number) => number <= lastNumber)
    const used = await findUsed(numbers)
    found.push(...numbers.filter((number) => !used.has(number)))
    from += count
  }
  return found.slice(0, count).map((number) => tagOf(format, number))
}

/** Returns `from` if this number is free. Otherwise, returns a higher free number that directly follows a used number.
 *  Uses an exponential search and then 64 probes per query, so skipping 100,000 used numbers takes only a few
 *  queries. */
async function endOfRun(findUsed: (numbers: number[]) => Promise<Set<number>>, from: number): Promise<number> {
  let [used, free] = [from - 1, lastNumber + 1]
  let probes = Array.from({ length: 30 }, (_, power) => used + 2 ** power)
  while (free - used > 1) {
    const within = probes.filter((number) => number > used && number < free)
    const known = await findUsed(within)
    const firstFree = within.find((number) => !known.has(number)) ?? free
    used = Math.max(used, ...within.filter((number) => number < firstFree))
    free = firstFree
    const step = Math.max(1, Math.ceil((free - used) / numbersPerQuery))
    probes = Array.from({ length: numbersPerQuery }, (_, index) => used + (index + 1) * step)
  }
  return free
}

async function usedNumbers(database: Database, format: string, numbers: readonly number[]): Promise<Set<number>> {
  if (numbers.length === 0) return new Set()
  const byTag = new Map(numbers.map((number) => [tagOf(format, number), number]))
  const tags = [...byTag.keys()]
  const rows = await database.all(
    `select asset_tag from hardware where asset_tag in (${placeholders(tags)})`,
    padValues(tags),
  )
  return new Set(rows.map((row) => byTag.get(row.asset_tag as string)!))
}

/** For `TD-{0000}` and 12, returns `TD-0012`. */
function tagOf(format: string, number: number): string {
  return format.replace(/\{(0+)\}/, (_, zeros: string) => String(number).padStart(zeros.length, '0'))
}
