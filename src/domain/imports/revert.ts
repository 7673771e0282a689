// Reverts an import's changes, newest first, while other requests may change records too (docs/decisions/0036). Unlike
// an undo, a revert does not stop at conflicts. If an updated record has changed since, only the fields that still have
// the import's values are reset.

import type { Database } from '../../engine/database/database.ts'
import { Problem } from '../../problem.ts'
import { byId, type Resource, type Resources, resourceNamed } from '../declarations/resource.ts'
import type { Values } from '../fields/validate.ts'
import type { ChangeContext } from '../records/changes.ts'
import { findRecordsByIds } from '../records/changes.ts'
import { deleteRecord, updateRecord } from '../records/records.ts'

/** One step reverts at most this many changes. */
const changesPerStep = 50

/** The result of a step. `before`: where the next step continues; null after the last step. `keptCreated`: how many
 *  created records could not be reverted, for example because other records now depend on them. `keptUpdated`: how many
 *  updated records could not be reverted. */
export type Reverted = { before: number | null; keptCreated: number; keptUpdated: number }

type ChangeRow = { seq: number; record_id: number; action: string; before: string | null; after: string | null }

/** `before`: only changes with lower numbers are reverted. */
export async function revertSome(
  database: Database,
  resources: Resources,
  context: ChangeContext,
  { resource, changeSet, before }: { resource: string; changeSet: string; before: number },
): Promise<Reverted> {
  const sql = `select seq, record_id, action, before, after from changes where change_set = ? and seq < ?
    order by seq desc limit ${changesPerStep}`
  const rows = await database.all<ChangeRow>(sql, [changeSet, before])
  const target = { resource: resourceNamed(resources, resource), context }
  const reverted: Reverted = { before: null, keptCreated: 0, keptUpdated: 0 }
  for (const row of rows) {
    const isReverted = await revertOne(database, resources, target, row)
    if (!isReverted && row.action === 'create') reverted.keptCreated++
    else if (!isReverted) reverted.keptUpdated++
  }
  if (rows.length === changesPerStep) reverted.before = rows.at(-1)!.seq
  return reverted
}

async function revertOne(
  database: Database,
  resources: Resources,
  target: { resource: Resource; context: ChangeContext },
  { record_id: id, action, ...row }: ChangeRow,
): Promise<boolean> {
  const record = (await findRecordsByIds(database, target.resource, [id])).get(id)
  if (!record) return true // deleted since
  const change = { ...target, key: byId(id) }
  const before: Values = JSON.parse(row.before ?? '{}')
  const after: Values = JSON.parse(row.after ?? '{}')
  try {
    if (action === 'create') await deleteRecord(database, { ...change, resources })
    else {
      const names = Object.keys(after).filter((name) => record[name] === after[name])
      const values = Object.fromEntries(names.map((name) => [name, before[name]!]))
      if (names.length > 0) await updateRecord(database, { ...change, values })
    }
    return true
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return false
  }
}
