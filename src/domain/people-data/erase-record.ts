// Removes personal data from a record and from its history. Only erasure and retention modify history rows.

import { type Awaitable, type Database, limitClause } from '../../engine/database/database.ts'
import type { Resource } from '../declarations/resource.ts'
import type { Values } from '../fields/validate.ts'
import { type ChangeContext, recordChange } from '../records/changes.ts'
import { findRecordsByIds } from '../records/find-by-ids.ts'
import { overwriteRecord } from '../records/records.ts'
import type { StoredRecord } from '../records/target.ts'
import { eraseValues, identifyingValues } from './personal-fields.ts'

/** `isChanged`: whether the record itself had personal data. `changes`: the number of history rows with personal data.
 *  `identifying`: the values that identifyingValues returns for the record and for the erased history rows. */
export type ErasedRecord = { isChanged: boolean; changes: number; identifying: ReadonlySet<string> }

export type ErasureTarget = { resource: Resource; id: number }

/** How many rows one statement reads. Processing them takes about a millisecond. */
const pageSize = 100

/** Returns undefined if neither the record nor its history exists. For a deleted record, only the history is erased. */
export async function eraseRecord(
  database: Database,
  target: ErasureTarget,
  context: ChangeContext,
  pause: () => Awaitable<void>,
): Promise<ErasedRecord | undefined> {
  const { resource, id } = target
  const record = (await findRecordsByIds(database, resource, [id])).get(id)
  const identifying = new Set(record && identifyingValues(resource, record))
  const history = await eraseHistory(database, target, identifying, pause)
  if (!record && history.rows === 0) return undefined
  return {
    isChanged: record !== undefined && eraseCurrent(database, resource, record, context),
    ...history,
    identifying,
  }
}

/** Erases the record's personal data and adds a history row. The row does not contain the erased values: its `before`
 *  and `after` are equal. */
function eraseCurrent(database: Database, resource: Resource, record: StoredRecord, context: ChangeContext): boolean {
  const erased = eraseValues(resource, record.id, record)
  const changed = Object.fromEntries(Object.entries(erased).filter(([name, value]) => record[name] !== value))
  if (Object.keys(changed).length === 0) return false
  overwriteRecord(database, resource, { ...record, ...changed, updated_at: context.now }, changed)
  const { name } = resource
  recordChange(database, context, {
    resource: name,
    recordId: record.id,
    action: 'update',
    before: changed,
    after: changed,
  })
  return true
}

type ChangedValues = { seq: number; before: string | null; after: string | null }

/** `rows`: how many history rows the record has. `changes`: how many of them had personal data. Adds the identifying
 *  values of these rows to `identifying`. */
async function eraseHistory(
  database: Database,
  { resource, id }: ErasureTarget,
  identifying: Set<string>,
  pause: () => Awaitable<void>,
): Promise<{ rows: number; changes: number }> {
  const sql = `select seq, before, after from changes where resource = ? and record_id = ? and seq > ? order by seq ${limitClause}`
  for (let [last, rows, changes] = [0, 0, 0]; ; ) {
    const page = await database.all<ChangedValues>(sql, [resource.name, id, last, pageSize])
    for (const { seq, before, after } of page) {
      const erased = [before, after].map((text) => eraseJson(resource, id, text, identifying))
      if (erased[0] === before && erased[1] === after) continue
      changes++
      database.runDeferred('update changes set before = ?, after = ? where seq = ?', [erased[0]!, erased[1]!, seq])
    }
    rows += page.length
    if (page.length < pageSize) return { rows, changes }
    last = page.at(-1)!.seq
    await pause()
  }
}

function eraseJson(resource: Resource, id: number, text: string | null, identifying: Set<string>): string | null {
  if (text === null) return null
  const values: Values = JSON.parse(text)
  const erased = eraseValues(resource, id, values)
  if (Object.keys(values).every((name) => values[name] === erased[name])) return text
  for (const value of identifyingValues(resource, values)) identifying.add(value)
  return JSON.stringify(erased)
}
