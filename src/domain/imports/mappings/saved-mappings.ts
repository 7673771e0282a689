// The SQL for a tenant's own mappings, and the limits on them.

import { type Database, limitClause } from '../../../engine/database/database.ts'
import { unpaddedPlaceholders } from '../../../engine/database/statements.ts'
import { isOneLine } from '../../../lib/text.ts'
import { invalidRequest } from '../../../problem.ts'
import { importMappings } from '../../declarations/import-mappings.ts'
import { byId, columns } from '../../declarations/resource.ts'
import { validateNew } from '../../fields/validate.ts'
import { type ChangeContext, type StoredRecord, toRecord } from '../../records/changes.ts'
import { createRecord, updateRecord } from '../../records/records.ts'
import type { ImportMapping, MappingToSave } from './mapping.ts'
import { isShipped } from './shipped/all.ts'

export type SavedMapping = MappingToSave & { id: number }

/** A tenant has at most this many mappings of its own. */
export const maxMappings = 100

const { fields } = importMappings

/** Throws `invalid_request` if a mapping cannot have this name. */
export function requireMappingName(name: string): void {
  const { length } = [...name.slice(0, 2 * fields.name.max)]
  if (length < fields.name.min || length > fields.name.max || !isOneLine(name) || !name.isWellFormed())
    throw invalidRequest(`save_as must be a name of 1 to ${fields.name.max} characters on one line.`)
  if (isShipped(name)) throw invalidRequest(`The mapping ${name} is shipped and cannot be replaced; use another name.`)
}

/** Keeps the mapping, in place of one with the same name. Returns whether anything has changed. Throws
 *  `invalid_request` if there are too many mappings, or if this one is too large. */
export async function saveMapping(
  database: Database,
  { name, resource, ...mapping }: MappingToSave,
  context: ChangeContext,
): Promise<boolean> {
  requireMappingName(name)
  const text = JSON.stringify(mapping)
  if (text.length > fields.mapping.max)
    throw invalidRequest(
      `The mapping ${JSON.stringify(name)} is too large to be saved: it has ${text.length} characters, and at most ${fields.mapping.max} are allowed.`,
    )
  const change = { resource: importMappings, context }
  const saved = await findSavedMapping(database, resource, name)
  if (saved) {
    const update = { ...change, key: byId(saved.id), values: { mapping: text } }
    return (await updateRecord(database, update)).isChanged
  }
  const row = await database.get(`select count(*) as count from ${importMappings.name}`, [])
  if (Number(row!.count) >= maxMappings)
    throw invalidRequest(`A tenant can keep ${maxMappings} mappings of its own. Delete one first.`)
  await createRecord(database, { ...change, ...validateNew(importMappings, { name, resource, mapping: text }) })
  return true
}

export async function findSavedMapping(
  database: Database,
  resource: string,
  name: string,
): Promise<SavedMapping | undefined> {
  const sql = `select ${columns(importMappings).join(', ')} from ${importMappings.name} where resource = ? and name = ?`
  const row = await database.get<StoredRecord>(sql, [resource, name])
  return row && toMapping(row)
}

/** Returns mappings above an id, in order. `resources`: only mappings for these. */
export async function listSavedMappings(
  database: Database,
  { after, limit, resources }: { after: number; limit: number; resources: readonly string[] },
): Promise<SavedMapping[]> {
  if (resources.length === 0) return []
  const sql = `select ${columns(importMappings).join(', ')} from ${importMappings.name}
    where id > ? and resource in (${unpaddedPlaceholders(resources)}) order by id ${limitClause}`
  return (await database.all<StoredRecord>(sql, [after, ...resources, limit])).map(toMapping)
}

function toMapping(row: StoredRecord): SavedMapping {
  const { id, name, resource, mapping } = toRecord(importMappings, row) as StoredRecord & Record<string, string>
  return { id, name: name!, resource: resource!, ...(JSON.parse(mapping!) as ImportMapping) }
}
