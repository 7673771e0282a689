// Decides what an ambiguous reference in a row of an export means: two people may have the same name, and the file names
// the one to whom the record already refers. So an export comes back unchanged (contract §17).

import type { Database } from '../../../engine/database/database.ts'
import { type Resource, type Resources, resourceNamed, stockFieldOf } from '../../declarations/resource.ts'
import { findRecordsByIds, type StoredRecord } from '../../records/changes.ts'
import { findBranchesOfStocks } from '../../records/stock.ts'
import { foldValue } from './folded-matches.ts'
import { comparableValue, type FoundReading, onlyRecord, type SoughtReference } from './references.ts'
import type { RowReference, RowRequest } from './row-request.ts'

/** `exportedBy`: returns the record of a row of an export. `findReadings`: returns what a reference may mean. */
type KnownReferences = {
  exportedBy: (request: RowRequest) => StoredRecord | undefined
  findReadings: (reference: SoughtReference) => FoundReading[]
}

/** Returns the function that finds the record to which a row's record already refers, if the row's ambiguous reference may
 *  mean it. */
export async function findPresentIds(
  database: Database,
  { resource, resources }: { resource: Resource; resources: Resources },
  requests: readonly RowRequest[],
  { exportedBy, findReadings }: KnownReferences,
): Promise<(request: RowRequest, reference: RowReference) => number | undefined> {
  const { name: holder = '', stock } = stockFieldOf(resource) ?? {}
  const unclear = requests.flatMap((request) => {
    const record = request.exported && exportedBy(request)
    const references = record ? request.references : []
    return references
      .filter((each) => isUnclear(findReadings(each)))
      .map((reference) => ({ reference, record: record! }))
  })
  if (unclear.length === 0) return () => undefined
  const isStock = ({ field }: RowReference) => field === stock?.member
  const holders = unclear.flatMap(({ reference, record }) => (isStock(reference) ? Number(record[holder]) : []))
  const branches = await findBranchesOfStocks(database, holders)
  const idOf = (reference: RowReference, record: StoredRecord) =>
    isStock(reference) ? (branches.get(Number(record[holder])) ?? 0) : Number(record[reference.field])
  const present = new Map<string, ReadonlyMap<number, StoredRecord>>()
  for (const [to, each] of Map.groupBy(unclear, ({ reference }) => reference.to)) {
    const ids = new Set(each.map(({ reference, record }) => idOf(reference, record)))
    present.set(to, await findRecordsByIds(database, resourceNamed(resources, to), [...ids]))
  }
  return (request, reference) => {
    const record = request.exported && exportedBy(request)
    const found = findReadings(reference)
    const other = record && isUnclear(found) ? present.get(reference.to)?.get(idOf(reference, record)) : undefined
    return other && found.some(({ by }) => hasValue(other, by, reference.value)) ? other.id : undefined
  }
}

function isUnclear(found: readonly FoundReading[]): boolean {
  return found.length > 0 && onlyRecord(found) === undefined
}

function hasValue(record: StoredRecord, by: string, value: string): boolean {
  const own = String(record[by] ?? '')
  return comparableValue(by, own) === comparableValue(by, value) || foldValue(own) === foldValue(value)
}
