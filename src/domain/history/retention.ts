// Removes the history's oldest rows. If a record still exists or has later changes, its first and last rows in the
// removed range are kept without content, because `as_of` and undo need the times at which the record was created and
// last changed. The history's newest row is always kept.

import { type Database, limitClause, type Value } from '../../engine/database/database.ts'
import { unpaddedPlaceholders } from '../../engine/database/statements.ts'
import { defineOperations } from '../../engine/operation.ts'
import { withConfiguration } from '../declarations/configuration.ts'
import { type Declared, type Resource, resourceNamed } from '../declarations/resource.ts'
import { type HistoryStart, historyStart } from './positions.ts'

/** `after`: the number of the last change that has been removed so far. `seqs`: the numbers of changes to remove, in
 *  order. */
export type OldChangesPage = { after: number; seqs: number[] }

export const retentionOperations = defineOperations({
  oldChanges: { writes: false, isScan: true, needsSnapshot: true, run: listOldChanges },
  removeChanges: { writes: true, run: removeChanges },
})

/** Returns the oldest changes made before the time `before`, at most `limit`. */
async function listOldChanges(
  database: Database,
  { before, limit }: { before: string; limit: number },
): Promise<OldChangesPage> {
  const { seq: after } = await historyStart(database)
  const sql = `select seq, at from changes where seq > ? order by seq ${limitClause}`
  const rows = await database.all<HistoryStart>(sql, [after, limit])
  const end = rows.findIndex(({ at }) => at >= before)
  return { after, seqs: (end === -1 ? rows : rows.slice(0, end)).map(({ seq }) => seq) }
}

/** Removes the rows with sequence numbers above `after`, up to and including `upTo`. `after`: the number of the last
 *  row that was removed earlier. Returns false if another process has already removed rows, or if there are no rows to
 *  remove. */
async function removeChanges(
  database: Database,
  { after, upTo }: { after: number; upTo: number },
  { resources }: Declared,
): Promise<boolean> {
  if ((await historyStart(database)).seq !== after) return false
  const rows = await database.all<HistoryStart & { resource: string; record_id: number }>(
    'select seq, at, resource, record_id from changes where seq > ? and seq <= ? order by seq',
    [after, upTo],
  )
  const last = rows.at(-1)
  if (!last) return false
  const newest = Number((await database.get('select max(seq) as seq from changes'))!.seq)
  for (const [name, rowsOfResource] of Map.groupBy(rows, ({ resource }) => resource)) {
    const ids = [...new Set(rowsOfResource.map(({ record_id }) => record_id))]
    await removeRowsOfRecords(database, resourceNamed(withConfiguration(resources), name), ids, { upTo, newest })
  }
  await database.run('delete from history_start')
  await database.run('insert into history_start (seq, at) values (?, ?)', [last.seq, last.at])
  return true
}

async function removeRowsOfRecords(
  database: Database,
  resource: Resource,
  ids: number[],
  { upTo, newest }: { upTo: number; newest: number },
): Promise<void> {
  const keptSeqs = await findRowsToKeep(database, resource, ids, upTo)
  if (newest <= upTo) keptSeqs.push(newest) // the number of the next change is derived from this row
  const condition = `resource = ? and record_id in (${unpaddedPlaceholders(ids)}) and seq <= ?`
  const values: Value[] = [resource.name, ...ids, upTo]
  const exceptKept = keptSeqs.length === 0 ? '' : ` and seq not in (${unpaddedPlaceholders(keptSeqs)})`
  await database.run(`delete from changes where ${condition}${exceptKept}`, [...values, ...keptSeqs])
  await database.run(
    `update changes set before = null, after = null, api_key_id = null, user_id = null, request_id = '', change_set = null
     where ${condition}`,
    values,
  )
}

/** For each record that still exists or has later changes, finds the numbers of its first and last rows up to
 *  `upTo`. */
async function findRowsToKeep(database: Database, { name }: Resource, ids: number[], upTo: number): Promise<number[]> {
  const list = unpaddedPlaceholders(ids)
  const present = await database.all<{ id: number }>(
    `select id from ${name} where id in (${list})
     union select record_id from changes where resource = ? and record_id in (${list}) and seq > ?`,
    [...ids, name, ...ids, upTo],
  )
  const presentIds = present.map(({ id }) => id)
  if (presentIds.length === 0) return []
  const ends = await database.all(
    `select min(seq) as first, max(seq) as last from changes
     where resource = ? and record_id in (${unpaddedPlaceholders(presentIds)}) and seq <= ? group by record_id`,
    [name, ...presentIds, upTo],
  )
  return [...new Set(ends.flatMap(({ first, last }) => [Number(first), Number(last)]))]
}
