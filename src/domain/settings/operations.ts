// Reads and changes a tenant's settings (contract §19). The tenant's name is stored in the catalog, so the caller
// passes it in.

import { type Database, limitClause } from '../../engine/database/database.ts'
import { setCounter } from '../../engine/database/statements.ts'
import { mutation } from '../../engine/mutation.ts'
import { defineOperations } from '../../engine/operation.ts'
import { requireTag, type StoredResponse, type TaggedRecord, tagOf } from '../../engine/responses/stored-response.ts'
import { byId, emptyValue } from '../declarations/resource.ts'
import { settings } from '../declarations/settings.ts'
import type { Values } from '../fields/validate.ts'
import { findTarget, type OngoingChange, type StoredRecord } from '../records/changes.ts'
import { changedValues, createRecord, writeChange } from '../records/records.ts'

/** `name`: the tenant's name. `newName`: the tenant's new name; null if the name stays the same. `values`: the other
 *  settings to change. */
export type SettingsChange = { name: string; newName: string | null; values: Values; ifMatch: string | null }

export const settingsOperations = defineOperations({
  settings: { writes: false, run: readSettings },
  changeSettings: mutation(changeSettings, tagOfSettings),
})

const key = byId(1)

const defaults: Values = Object.fromEntries(
  Object.entries(settings.fields).map(([name, field]) => [name, emptyValue(field)]),
)

async function readSettings(database: Database, { name }: { name: string }): Promise<TaggedRecord> {
  const [{ record }, version] = await Promise.all([
    findTarget(database, { resource: settings, key }),
    readVersion(database),
  ])
  return toTagged(name, record, version)
}

/** The first change creates the settings record, so the history shows this change as a creation. Throws
 *  `precondition_failed`. */
async function changeSettings(
  database: Database,
  { name, newName, values, ifMatch }: SettingsChange,
  { context }: OngoingChange,
): Promise<StoredResponse> {
  const change = { resource: settings, context }
  const { record } = await findTarget(database, { ...change, key })
  const version = await readVersion(database)
  requireTag(ifMatch, toTagged(name, record, version).etag)
  const current = record ?? defaults
  const isRenamed = newName !== null && newName !== name
  if (!isRenamed && Object.entries(values).every(([field, value]) => current[field] === value))
    return { status: 200, ...toTagged(name, record, version), location: null, changeSet: null }
  if (!record) setCounter(database, settings.name, 0) // the id is 1 again after the first change is undone
  const changed = record
    ? writeChange(database, change, record, changedValues(record, values))
    : await createRecord(database, { ...change, values: { ...defaults, ...values } })
  const tagged = toTagged(newName ?? name, changed, context.changeSet)
  return { status: 200, ...tagged, location: null, changeSet: context.changeSet }
}

/** Returns the latest change set that changed the settings, or null if there is none. Even a change to the name alone
 *  has a change set. A concurrent change therefore fails its precondition even before the catalog contains the new
 *  name. */
async function readVersion(database: Database): Promise<string | null> {
  const sql = `select change_set from changes where resource = ? and record_id = ? order by seq desc ${limitClause}`
  return ((await database.get(sql, [settings.name, key.value, 1]))?.change_set ?? null) as string | null
}

/** Returns undefined if the body is an error, or if nothing was changed. */
function tagOfSettings(body: string, changeSet: string | null): string | undefined {
  return changeSet !== null && body.startsWith('{"name":') ? tagOf(`${changeSet} ${body}`) : undefined
}

function toTagged(name: string, record: StoredRecord | undefined, version: string | null): TaggedRecord {
  const stored = Object.keys(settings.fields).map((field) => [field, (record ?? defaults)[field]!])
  const body = JSON.stringify({ name, ...Object.fromEntries(stored) })
  return { body, etag: tagOf(`${version} ${body}`) }
}
