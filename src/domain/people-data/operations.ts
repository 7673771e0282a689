// Erases a person in one transaction: removes the person's personal fields from everywhere in the tenant's database.

import type { Database } from '../../engine/database/database.ts'
import { unboundedMutation } from '../../engine/mutation.ts'
import { defineOperations } from '../../engine/operation.ts'
import type { StoredResponse } from '../../engine/responses/stored-response.ts'
import { byId, noSuchRecord, resourceNamed } from '../declarations/resource.ts'
import type { OngoingChange } from '../records/changes.ts'
import { eraseRecord } from './erase-record.ts'
import { eraseImportRows } from './import-files.ts'
import { eraseStoredResponses } from './stored-responses.ts'

export type ErasureRequest = { resource: string; id: number }

/** The response body: how many rows of each kind contained personal data. */
export type PersonErasure = { id: number; changes: number; stored_responses: number; import_rows: number }

export const erasureOperations = defineOperations({
  erasePerson: { ...unboundedMutation(erasePerson), isLong: true },
})

/** Throws `not_found` if the record has never existed. */
async function erasePerson(
  database: Database,
  { resource: name, id }: ErasureRequest,
  { resources, context, pause }: OngoingChange,
): Promise<StoredResponse> {
  const resource = resourceNamed(resources, name)
  const erased = await eraseRecord(database, { resource, id }, context, pause)
  if (!erased) throw noSuchRecord(resource, byId(id))
  const { isChanged, changes, identifying } = erased
  const erasure: PersonErasure = {
    id,
    changes,
    stored_responses: await eraseStoredResponses(database, { resource, id, identifying }, pause),
    import_rows: await eraseImportRows(database, resource, identifying, pause),
  }
  const changeSet = isChanged ? context.changeSet : null
  return { status: 200, body: JSON.stringify(erasure), location: null, changeSet }
}
