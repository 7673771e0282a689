// The assets that someone held in the past, read from the history.

import { type Database, limitClause } from '../../engine/database/database.ts'
import type { Dialect } from '../../engine/database/dialect.ts'
import { startSeq } from './start.ts'

/** An asset that someone held from `from` to `to`. `from`: null if the person received the asset before the start of
 *  the history. */
export type PastItem = { id: number; from: string | null; to: string }

/** SQL for the former `employee_id` in a change: the holder from whom an asset was taken. Null if the change did not
 *  affect the holder. An index uses the same expression. */
export function formerHolder(engine: Dialect['engine']): string {
  return `${memberOf(engine, 'before')} ->> 'employee_id'`
}

/** SQL for a JSON column of the history, from which `->>` reads a member. */
export function memberOf(engine: Dialect['engine'], column: string): string {
  return engine === 'sqlite' ? column : `cast(${column} as json)`
}

/** Lists the assets that were taken from a holder by a change or a deletion, latest first. Reads only the changes to
 *  these assets. */
export async function listPastItems(
  database: Database,
  { holder, limit, timeoutMs }: { holder: number; limit: number; timeoutMs: number },
): Promise<PastItem[]> {
  database.setBudget(timeoutMs)
  const { engine } = database
  const receivedAt = `select given.at from changes given
    where given.resource = 'hardware' and given.record_id = changes.record_id and given.seq < changes.seq
      and given.seq > ${startSeq} and cast(${memberOf(engine, 'given.after')} ->> 'employee_id' as text) = ?
    order by given.seq desc limit 1`
  const rows = await database.all(
    `select record_id as id, at, (${receivedAt}) as since from changes
     where ${formerHolder(engine)} = ? and resource = 'hardware' and seq > ${startSeq} order by seq desc ${limitClause}`,
    [String(holder), engine === 'sqlite' ? holder : String(holder), limit],
  )
  return rows.map(({ id, at, since }) => ({ id: Number(id), from: since as string | null, to: at as string }))
}
