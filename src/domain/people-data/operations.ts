// Erases a person in one transaction: removes the person's personal fields from everywhere in the tenant's database. Only
// erasure and retention modify history rows.

import { type Awaitable, type Database, limitClause } from '../../engine/database/database.ts'
import { unboundedMutation } from '../../engine/mutation.ts'
import { defineOperations } from '../../engine/operation.ts'
import type { StoredResponse } from '../../engine/responses/stored-response.ts'
import { byId, noSuchRecord, type Resource, resourceNamed } from '../declarations/resource.ts'
import { eraseValues, identifyingValues } from '../fields/personal-fields.ts'
import type { Values } from '../fields/validate.ts'
import {
  type ChangeContext,
  findRecordsByIds,
  type OngoingChange,
  recordChange,
  type StoredRecord,
} from '../records/changes.ts'
import { overwriteRecord } from '../records/records.ts'
import { eraseImportRows } from './import-files.ts'
import { eraseStoredResponses } from './stored-responses.ts'

export type ErasureRequest = { resource: string; id: number }

/** The response body: how many rows of each kind contained personal data. */
export type PersonErasure = { id: number; changes: number; stored_responses: number; import_rows: number }

export const erasureOperations = defineOperations({
  erasePerson: { ...unboundedMutation(erasePerson), isLong: true },
})

/** For a deleted record, only what remains of it is erased. Throws `not_found` if the record has never existed. */
async function erasePerson(
  database: Database,
  { resource: name, id }: ErasureRequest,
  { resources, context, pause }: OngoingChange,
): Promise<StoredResponse> {
  const resource = resourceNamed(resources, name)
  const record = (await findRecordsByIds(database, resource, [id])).get(id)
  const identifying = new Set(record && identifyingValues(resource, record))
  const history = await eraseHistory(database, { resource, id, identifying }, pause)
  if (!record && history.rows === 0) throw noSuchRecord(resource, byId(id))
  const isChanged = record !== undefined && eraseCurrent(database, resource, record, context)
  const erasure: PersonErasure = {
    id,
    changes: history.changes,
    stored_responses: await eraseStoredResponses(database, { resource, id, identifying }, pause),
    import_rows: await eraseImportRows(database, resource, identifying, pause),
  }
  const changeSet = isChanged ? context.changeSet : null
  return { status: 200, body: JSON.stringify(erasure), location: null, changeSet }
}

/** `identifying`: the values that identifyingValues returns for the record, to which those of its history are added. */
type ErasureTarget = { resource: Resource; id: number; identifying: Set<string> }

/** How many rows one statement reads. Processing them takes about a millisecond. */
const pageSize = 100

/** Erases the record's personal data and adds a history row. The row does not contain the erased values: its `before`
 *  and `after` are equal. */
function eraseCurrent(database: Database, resource: Resource, record: StoredRecord, context: ChangeContext): boolean {
  const erased = eraseValues(resource, record.id, record)
  const changed = Object.fromEntries(Object.entries(erased).filter(([name, value]) => record[name] !== value))
  if (Object.keys(changed).length === 0) return false
  overwriteRecord(database, resource, { ...record, ...changed, updated_at: context.now }, changed)
  const change = {
    resource: resource.name,
    recordId: record.id,
    action: 'update',
    before: changed,
    after: changed,
  } as const
  recordChange(database, context, change)
  return true
}

type ChangedValues = { seq: number; before: string | null; after: string | null }

/** `rows`: how many history rows the record has. `changes`: how many of them had personal data. Adds the identifying
 *  values of these rows to `identifying`. */
async function eraseHistory(
  database: Database,
  { resource, id, identifying }: ErasureTarget,
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
