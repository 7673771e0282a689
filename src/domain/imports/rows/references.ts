// Finds the records that the references in imported rows mean (contract §17): values are compared exactly first, then
// names and codes without case and accents.

import type { Database } from '../../../engine/database/database.ts'
import { isCode, isName, type Resource, type Resources, resourceNamed } from '../../declarations/resource.ts'
import { CellFault } from '../file/convert.ts'
import { findExactly } from './exact-matches.ts'
import { findFolded, foldValue } from './folded-matches.ts'

/** `to`: the resource of the record. `readings`: the fields that may contain the value. */
export type SoughtReference = { to: string; readings: readonly string[]; value: string }

/** A reading by which a value was found, with the number of records that have it. `id`: the first of them. */
export type FoundReading = { by: string; id: number; count: number }

type FindReadings = (reference: SoughtReference) => FoundReading[]

/** Returns the function that finds a reference's records, by each of its readings. */
export async function findReferences(
  database: Database,
  resources: Resources,
  references: readonly SoughtReference[],
): Promise<FindReadings> {
  const findExact = await findByExactValues(database, references)
  const others = references.filter((reference) => findExact(reference).length === 0)
  const findOthers = await findByFoldedValues(database, resources, others)
  return (reference) => {
    const exact = findExact(reference)
    return exact.length > 0 ? exact : findOthers(reference)
  }
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
    matches.set(to, await findFolded(database, resource, { fields, values: each.map(({ value }) => value) }))
  }
  return ({ to, readings, value }) => {
    const found = matches.get(to)?.get(foldValue(value)) ?? []
    return readings.flatMap((by) => {
      const ids = found.filter((match) => match.by === by).map(({ id }) => id)
      return ids.length > 0 ? [{ by, id: ids[0]!, count: ids.length }] : []
    })
  }
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
