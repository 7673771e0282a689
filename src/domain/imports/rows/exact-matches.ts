// Finds the records that have certain values, with a few statements for many values.

import type { Database, Value } from '../../../engine/database/database.ts'
import { padValues, placeholders } from '../../../engine/database/statements.ts'
import { cleanText, storedForms } from '../../../lib/text.ts'
import { emailIsIn } from '../../lists/order.ts'

/** A value to look up in the resource's `by` column. */
export type LookupKey = { resource: string; by: string; value: string }

/** The number of records that have a value, and the id of the first one. */
export type ValueMatch = { id: number; count: number }

/** Returns the form in which values of a column are compared: ids without leading zeros, and email addresses without the
 *  case of their letters (contract §17). */
export function comparableValue(by: string, value: string): string {
  if (by === 'id') return readIdCell(value) ?? value
  return by === 'email' ? value.toLowerCase() : cleanText(value)
}

function keyOf({ resource, by, value }: LookupKey): string {
  return JSON.stringify([resource, by, comparableValue(by, value)])
}

type MatchRow = { value: Value; id: number; count: Value }

/** Returns the function that finds the records with one of these values; undefined if there are none. Runs one statement
 *  for each column. */
export async function findExactly(
  database: Database,
  keys: readonly LookupKey[],
): Promise<(key: LookupKey) => ValueMatch | undefined> {
  const matches = new Map<string, ValueMatch>()
  const add = (key: string, { id, count }: ValueMatch) => {
    const other = matches.get(key) // another form in which the value is stored
    matches.set(key, other ? { id: Math.min(id, other.id), count: count + other.count } : { id, count })
  }
  const groups = Map.groupBy(keys, ({ resource, by }) => `${resource}.${by}`)
  for (const group of groups.values()) {
    const { resource, by } = group[0]!
    const texts = [...new Set(group.map(({ value }) => comparableValue(by, value)))].filter(canBeStored)
    const values: Value[] = by === 'id' ? texts.flatMap(toId) : texts.flatMap(storedForms)
    if (values.length === 0) continue
    const { column, where, operands } = matching(by, padValues(values))
    const sql = `select ${column} as value, min(id) as id, count(*) as count from ${resource} where ${where} group by ${column}`
    for (const { value, id, count } of await database.all<MatchRow>(sql, operands))
      add(keyOf({ resource, by, value: String(value) }), { id, count: Number(count) })
  }
  return (key) => matches.get(keyOf(key))
}

/** The condition that finds these values in a column, and the column in the form in which they are compared. */
function matching(by: string, values: Value[]): { column: string; where: string; operands: Value[] } {
  const list = `(${placeholders(values)})`
  if (by !== 'email') return { column: by, where: `${by} in ${list}`, operands: values }
  return { column: `lower(${by})`, where: emailIsIn(by, list), operands: [...values, ...values] }
}

/** Longer values are not looked up, because no field that can identify records accepts them. */
const maxValueLength = 500

export function canBeStored(value: string): boolean {
  return value.length <= maxValueLength && !value.includes('\0') && value.isWellFormed()
}

/** Returns the id in a cell's text, without leading zeros, or undefined if the text is not an id. */
export function readIdCell(text: string): string | undefined {
  const id = /^\d{1,16}$/.test(text) ? Number(text) : 0
  return Number.isSafeInteger(id) && id > 0 ? String(id) : undefined
}

function toId(text: string): number[] {
  const id = readIdCell(text)
  return id === undefined ? [] : [Number(id)]
}
