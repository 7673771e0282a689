// Erases a person in one transaction: removes the person's personal fields from everywhere in the tenant's database. Only
// erasure and retention modify history rows.

import type { Database } from '../../engine/database/database.ts'
import { unboundedMutation } from '../../engine/mutation.ts'
import { defineOperations } from '../../engine/operation.ts'
import type { StoredResponse } from '../../engine/responses/stored-response.ts'
import { cleanText } from '../../lib/text.ts'
import { byId, noSuchRecord, resourceNamed } from '../declarations/resource.ts'
import { erasedEmail, erasedText, eraseValues, identifyingValues, personalNames } from '../fields/personal-fields.ts'
import type { Values } from '../fields/validate.ts'
import { findRecordsByIds, type OngoingChange } from '../records/changes.ts'
import { eraseImportRows } from './import-files.ts'
import { eraseHistory, eraseSavedTexts, overwriteErased } from './saved-texts.ts'
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
  const names = new Set(record && personalNames(resource, record))
  const eraseAndNote = (values: Values): Values => {
    const erased = eraseValues(resource, id, values)
    if (Object.keys(values).every((name) => values[name] === erased[name])) return values
    for (const value of identifyingValues(resource, values)) identifying.add(value)
    for (const value of personalNames(resource, values)) names.add(value)
    return erased
  }
  const history = await eraseHistory(database, { resource, id }, eraseAndNote, pause)
  if (!record && history.rows === 0) throw noSuchRecord(resource, byId(id))
  const isRecordChanged =
    record !== undefined &&
    overwriteErased(database, context, resource, { record, erased: eraseValues(resource, record.id, record) })
  const known = identifying.union(names)
  const eraseText = (text: string) => {
    if (!known.has(cleanText(text).toLowerCase())) return text
    return text.includes('@') ? erasedEmail(id) : erasedText
  }
  const areTextsChanged = await eraseSavedTexts(database, context, eraseText, pause)
  const erasure: PersonErasure = {
    id,
    changes: history.changes,
    stored_responses: await eraseStoredResponses(database, { resource, id, identifying }, pause),
    import_rows: await eraseImportRows(database, { resource, identifying, eraseText }, pause),
  }
  const changeSet = isRecordChanged || areTextsChanged ? context.changeSet : null
  return { status: 200, body: JSON.stringify(erasure), location: null, changeSet }
}
