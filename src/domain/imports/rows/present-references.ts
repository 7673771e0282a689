// Decides what an ambiguous reference in a row of an export means: two people may have the same name, and the file names
// the one to whom the record already refers. So an export comes back unchanged (contract §17).

import type { Database } from '../../../engine/database/database.ts'
import { type Resources, resourceNamed } from '../../declarations/resource.ts'
import { findRecordsByIds, type StoredRecord } from '../../records/changes.ts'
import { foldValue } from './folded-matches.ts'
import { comparableValue, type FoundReading, onlyRecord, type SoughtReference } from './references.ts'

/** A reference of a row, with what it may mean, and the id of the record to which the row's record already refers. */
export type PresentReference = { reference: SoughtReference; found: readonly FoundReading[]; presentId: number }

/** Returns the function that says whether an ambiguous reference may mean the present record. `presentReferences`: all
 *  with which it is called. */
export async function findPresentReferences(
  database: Database,
  resources: Resources,
  presentReferences: readonly PresentReference[],
): Promise<(present: PresentReference) => boolean> {
  const ambiguous = presentReferences.filter(({ found }) => found.length > 0 && onlyRecord(found) === undefined)
  const records = new Map<string, Map<number, StoredRecord>>()
  for (const [to, each] of Map.groupBy(ambiguous, ({ reference }) => reference.to)) {
    const ids = new Set(each.map(({ presentId }) => presentId))
    records.set(to, await findRecordsByIds(database, resourceNamed(resources, to), [...ids]))
  }
  return ({ reference, found, presentId }) => {
    const record = records.get(reference.to)?.get(presentId)
    return record !== undefined && found.some(({ by }) => hasValue(record, by, reference.value))
  }
}

function hasValue(record: StoredRecord, by: string, value: string): boolean {
  const own = String(record[by] ?? '')
  return comparableValue(by, own) === comparableValue(by, value) || foldValue(own) === foldValue(value)
}
