// Suggests and assigns tags for new assets, from the tenant's settings `tag_format` and `next_tag_number`.

import type { Database } from '../../engine/database/database.ts'
import { padValues, placeholders } from '../../engine/database/statements.ts'
import { hardware } from '../declarations/hardware.ts'
import { assignedFieldOf, type Resource } from '../declarations/resource.ts'
import { fieldError } from './field-values.ts'
import type { FieldErrors, Values } from './validate.ts'

/** How many numbers one statement looks up. */
const numbersPerQuery = 64

/** The largest number that a tag can contain. */
const maxNumber = 999_999_999

/** Returns the next `count` unused tags, skipping the run of used numbers that starts at `next_tag_number`. Returns an
 *  empty list if the settings have no tag format. Numbers are not reserved: if two people are offered the same tag, the
 *  second person to save it gets the error `duplicate`. */
export async function nextTags(database: Database, count: number): Promise<string[]> {
  return (await freeTags(database, count, async () => new Set())).tags
}

/** The next free tag as the value of the field, and a function to call once a record has it: its number is then not
 *  given again, even after the record was deleted. */
export type NextTag = { values: Values; errors: FieldErrors; noteGiven(): void }

/** `givenTags`: tags that are about to be used. Returns an error if the settings have no tag format, or no number is
 *  free. */
export async function findNextTag(
  database: Database,
  resource: Resource,
  givenTags: ReadonlySet<string> = new Set(),
): Promise<NextTag> {
  const { member, name } = assignedFieldOf(resource)!
  const findGiven = async (tags: readonly string[]) => new Set(tags.filter((tag) => givenTags.has(tag)))
  const { tags, noteGiven } = await freeTags(database, 1, findGiven)
  const [tag] = tags
  if (tag === undefined) return { values: {}, errors: [[member, noFreeTag]], noteGiven: () => {} }
  return { values: { [name]: tag }, errors: [], noteGiven: () => noteGiven(1) }
}

/** The error if the settings have no tag format, or no number is free. */
export const noFreeTag = fieldError(
  'not_in_list',
  'No tag can be assigned: the settings have no tag_format, or all of its numbers are used.',
)

/** Returns those of the tags that are about to be used. */
type FindGiven = (tags: readonly string[]) => Promise<ReadonlySet<string>>

/** Returns up to `count` free tags. `noteGiven`: call this once records have the first so many of them; their numbers are
 *  then not given again. */
export async function freeTags(
  database: Database,
  count: number,
  findGiven: FindGiven,
): Promise<{ tags: string[]; noteGiven(given: number): void }> {
  const { format, numbers } = await nextNumbers(database, count, findGiven)
  const sql = 'insert into counters (name, last) values (?, ?) on conflict (name) do update set last = excluded.last'
  return {
    tags: numbers.map((number) => tagOf(format, number)),
    noteGiven: (given) => database.runDeferred(sql, [counterOf(format), numbers[given - 1]!]),
  }
}

/** The name of the counter with the last number that was assigned in this format. The setting `next_tag_number` does
 *  not count up, because each of its changes would be in the history, and in the way of undoing the changes before. */
function counterOf(format: string): string {
  return `asset_tag ${format}`
}

async function nextNumbers(
  database: Database,
  count: number,
  findGiven: FindGiven,
): Promise<{ format: string; numbers: number[] }> {
  const row = await database.get('select tag_format, next_tag_number from settings where id = 1')
  if (!row?.tag_format) return { format: '', numbers: [] }
  const format = row.tag_format as string
  const counter = await database.get('select last from counters where name = ?', [counterOf(format)])
  const findUsed = (numbers: number[]) => usedNumbers(database, format, numbers, findGiven)
  const freeNumbers: number[] = []
  const { first, last } = numberRange(format)
  let from = Math.max(Number(row.next_tag_number ?? first), first, Number(counter?.last ?? 0) + 1)
  while (freeNumbers.length < count && from <= last) {
    from = await endOfRun(findUsed, from, last)
    const numbers = Array.from({ length: count }, (_, index) => from + index).filter((number) => number <= last)
    const used = await findUsed(numbers)
    freeNumbers.push(...numbers.filter((number) => !used.has(number)))
    from += count
  }
  return { format, numbers: freeNumbers.slice(0, count) }
}

/** The numbers whose tags are as long as a tag may be: from 10 for `{0}`, because a tag has at least two characters. */
function numberRange(format: string): { first: number; last: number } {
  const { min, max } = hardware.fields.asset_tag
  const others = [...format.replace(/\{0+\}/, '')].length
  const first = [...tagOf(format, 1)].length >= min ? 1 : 10 ** (min - others - 1)
  return { first, last: Math.min(maxNumber, 10 ** (max - others) - 1) }
}

/** Returns `from` if this number is free. Otherwise, returns a higher free number, or `last + 1`, that directly follows
 *  a used number. Uses an exponential search and then 64 probes per query, so skipping 100,000 used numbers takes only a
 *  few queries. */
async function endOfRun(
  findUsed: (numbers: number[]) => Promise<Set<number>>,
  from: number,
  last: number,
): Promise<number> {
  let [used, free] = [from - 1, last + 1]
  let probes = Array.from({ length: 30 }, (_, power) => used + 2 ** power)
  while (free - used > 1) {
    const within = probes.filter((number) => number > used && number < free)
    const usedNumbersWithin = await findUsed(within)
    const firstFree = within.find((number) => !usedNumbersWithin.has(number)) ?? free
    used = Math.max(used, ...within.filter((number) => number < firstFree))
    free = firstFree
    const step = Math.max(1, Math.ceil((free - used) / numbersPerQuery))
    probes = Array.from({ length: numbersPerQuery }, (_, index) => used + (index + 1) * step)
  }
  return free
}

async function usedNumbers(
  database: Database,
  format: string,
  numbers: readonly number[],
  findGiven: FindGiven,
): Promise<Set<number>> {
  if (numbers.length === 0) return new Set()
  const byTag = new Map(numbers.map((number) => [tagOf(format, number), number]))
  const tags = [...byTag.keys()]
  const rows = await database.all(
    `select asset_tag from hardware where asset_tag in (${placeholders(tags)})`,
    padValues(tags),
  )
  const used = [...rows.map((row) => row.asset_tag as string), ...(await findGiven(tags))]
  return new Set(used.map((tag) => byTag.get(tag)!))
}

/** For `TD-{0000}` and 12, returns `TD-0012`. */
function tagOf(format: string, number: number): string {
  return format.replace(/\{(0+)\}/, (_, zeros: string) => String(number).padStart(zeros.length, '0'))
}
