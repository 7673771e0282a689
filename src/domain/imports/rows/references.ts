// Finds the records that have certain values, with a few statements for many values, and those that the references in
// imported rows mean (contract §17): values are compared exactly first, then names and codes without case and accents.

import type { Database, Value } from '../../../engine/database/database.ts'
import { lowerCaseIsIn, padValues, placeholders } from '../../../engine/database/statements.ts'
import { cleanText, storedForms } from '../../../lib/text.ts'
import {
  isCode,
  isName,
  isPersonalName,
  type Resource,
  type Resources,
  resourceNamed,
} from '../../declarations/resource.ts'
import { CellFault } from '../file/formats.ts'
import { findFolded, foldValue } from './folded-matches.ts'

/** `to`: the resource of the record. `readings`: the fields that may contain the value. */
export type SoughtReference = { to: string; readings: readonly string[]; value: string }

/** A reading by which a value was found, with the number of records that have it. `id`: the first of them. */
export type FoundReading = { by: string; id: number; count: number }

type FindReadings = (reference: SoughtReference) => FoundReading[]

/** Returns the function that finds a reference's records, by each of its readings. Call it only with these references. */
export async function findReferences(
  database: Database,
  resources: Resources,
  references: readonly SoughtReference[],
): Promise<FindReadings> {
  const findExact = await findByExactValues(database, references)
  const found = new Map(references.map((reference) => [reference, findExact(reference)]))
  const others = references.filter((reference) => found.get(reference)!.length === 0)
  const findOthers = await findByFoldedValues(database, resources, others)
  for (const reference of others) found.set(reference, findOthers(reference))
  return (reference) => found.get(reference)!
}

async function findByExactValues(database: Database, references: readonly SoughtReference[]): Promise<FindReadings> {
  const keysOf = (reference: SoughtReference) => {
    const { to: resource, value } = reference
    return exactReadings(reference).map((by) => ({ resource, by, value }))
  }
  const find = await findExactly(database, references.flatMap(keysOf))
  return (reference) =>
    keysOf(reference).flatMap((key) => {
      const match = find(key)
      return match ? [{ by: key.by, ...match }] : []
    })
}

/** Where several readings are possible, a number with leading zeros is not an id, and only a text with an @ is an email
 *  address. */
function exactReadings({ readings, value }: SoughtReference): readonly string[] {
  if (readings.length === 1) return readings
  return readings.filter((by) => !((by === 'id' && value.startsWith('0')) || (by === 'email' && !value.includes('@'))))
}

async function findByFoldedValues(
  database: Database,
  resources: Resources,
  references: readonly SoughtReference[],
): Promise<FindReadings> {
  const matches = new Map<string, Awaited<ReturnType<typeof findFolded>>>()
  for (const [to, each] of Map.groupBy(references, (reference) => reference.to)) {
    const resource = resourceNamed(resources, to)
    const readings = new Set(each.flatMap((reference) => reference.readings))
    const fields = [...readings].filter((by) => isFoldable(resource, by))
    const values = each.flatMap(({ value }) => [value, ...otherSpellings(value)]).filter(canBeStored)
    matches.set(to, await findFolded(database, resource, { fields, values }))
  }
  return ({ to, readings, value }) => {
    const find = (text: string) => matches.get(to)?.get(foldValue(text)) ?? []
    const { fields } = resourceNamed(resources, to)
    const asWritten = find(value)
    const found =
      asWritten.length > 0
        ? asWritten
        : otherSpellings(value)
            .flatMap(find)
            .filter(({ by }) => isPersonalName(fields[by]))
    return readings.flatMap((by) => {
      const ids = found.filter((match) => match.by === by).map(({ id }) => id)
      return ids.length > 0 ? [{ by, id: ids[0]!, count: ids.length }] : []
    })
  }
}

/** Other spellings of a person's name: `Ida Holm` for `Holm, Ida`, and for `Ida Holm (iholm)` as Snipe-IT writes it. */
function otherSpellings(value: string): string[] {
  const name = value.replace(/\s*(?:\([^()]*\)|<[^<>]*>)$/, '')
  const [, last, first] = /^([^,]+),([^,]+)$/.exec(name) ?? []
  return [...(name === value ? [] : [name]), ...(first === undefined ? [] : [`${first} ${last}`.trim()])]
}

function isFoldable({ fields }: Resource, name: string): boolean {
  const field = fields[name]
  return field !== undefined && (isName(field) || isCode(field))
}

/** Returns the id of the only record that the readings have found; undefined if there is none or there are several. */
export function onlyRecord(found: readonly FoundReading[]): number | undefined {
  const [first] = found
  return first && found.every(({ id, count }) => id === first.id && count === 1) ? first.id : undefined
}

/** The error of a reference that is not to exactly one record. */
export function referenceFault({ to, readings }: SoughtReference, found: readonly FoundReading[]): CellFault {
  if (found.length === 0) return new CellFault('not_in_list', `None of the ${to} has this ${orList.format(readings)}.`)
  const several = found.find(({ count }) => count > 1)
  if (several) return new CellFault('ambiguous', `${several.count} ${to} have this ${several.by}.`)
  const names = andList.format(found.map(({ by }) => by))
  return new CellFault('ambiguous', `Different ${to} have this as ${names}: map the column to one of these.`)
}

const [andList, orList] = [new Intl.ListFormat('en'), new Intl.ListFormat('en', { type: 'disjunction' })]

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

function columnOf({ resource, by }: LookupKey): string {
  return `${resource}.${by}`
}

type MatchRow = { value: Value; id: number; count: Value }

/** Returns the function that finds the records with one of these values; undefined if there are none. Runs one statement
 *  for each column. */
export async function findExactly(
  database: Database,
  keys: readonly LookupKey[],
): Promise<(key: LookupKey) => ValueMatch | undefined> {
  const columns = new Map<string, Map<string, ValueMatch>>()
  for (const [column, group] of Map.groupBy(keys, columnOf)) {
    const { resource, by } = group[0]!
    const texts = [...new Set(group.map(({ value }) => comparableValue(by, value)))].filter(canBeStored)
    const values: Value[] = by === 'id' ? texts.flatMap(toId) : texts.flatMap(storedForms)
    if (values.length > 0) columns.set(column, await findMatches(database, resource, { by, values }))
  }
  return (key) => columns.get(columnOf(key))?.get(comparableValue(key.by, key.value))
}

async function findMatches(
  database: Database,
  resource: string,
  { by, values }: { by: string; values: Value[] },
): Promise<Map<string, ValueMatch>> {
  const matches = new Map<string, ValueMatch>()
  const { column, where, operands } = matching(by, padValues(values))
  const sql = `select ${column} as value, min(id) as id, count(*) as count from ${resource} where ${where} group by ${column}`
  for (const { value, id, count } of await database.all<MatchRow>(sql, operands)) {
    const key = comparableValue(by, String(value))
    const other = matches.get(key) // another form in which the value is stored
    const sum = Number(count) + (other?.count ?? 0)
    matches.set(key, { id: Math.min(id, other?.id ?? id), count: sum })
  }
  return matches
}

/** The condition that finds these values in a column, and the column in the form in which they are compared. */
function matching(by: string, values: Value[]): { column: string; where: string; operands: Value[] } {
  const list = `(${placeholders(values)})`
  if (by !== 'email') return { column: by, where: `${by} in ${list}`, operands: values }
  return { column: `lower(${by})`, where: lowerCaseIsIn(by, list), operands: [...values, ...values] }
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
