// Positions in the history: where it starts, and which change was the last one up to a point in time. Older changes
// were removed after their retention period. The rows that retention keeps without content (retention.ts) are not part
// of the history.

import type { Database, Value } from '../../engine/database/database.ts'
import { invalidRequest, type Problem } from '../../problem.ts'

/** The number and time of the last removed change; 0 and '' if none was removed. */
export type HistoryStart = { seq: number; at: string }

export async function historyStart(database: Database): Promise<HistoryStart> {
  return (await database.get<HistoryStart>('select seq, at from history_start')) ?? { seq: 0, at: '' }
}

/** SQL for the number of the last removed change. */
export const startSeq = '(select coalesce(max(seq), 0) from history_start)'

export function tooOld(what: string, { at }: HistoryStart): Problem {
  return invalidRequest(
    `${what} is before the start of the history: changes up to ${at} were removed after their retention period.`,
  )
}

/** `seq`: the sequence number of the last change up to a point in time. `laterChanges`: how many changes came later. */
export type HistoryPosition = { seq: number; laterChanges: number }

/** Finds the position of a point in time by binary search. If the clock was once set back, earlier changes can have
 *  later times: the newest change is then compared first, so that the present shows all changes. Throws
 *  `invalid_request` for a time before the history starts. */
export async function positionAt(database: Database, moment: string): Promise<HistoryPosition> {
  const start = await historyStart(database)
  if (moment < start.at) throw tooOld('as_of', start)
  const sql = `
    with recursive halves (low, high) as (
      select coalesce((select seq from changes where seq = (select max(seq) from changes) and at <= ?), cast(? as bigint)),
        coalesce((select max(seq) from changes), 0)
      union all
      select case when c.at <= ? then c.seq else low end, case when c.at <= ? then high else c.seq - 1 end
      from halves join changes c on c.seq = (low + high + 1) / 2 where low < high
    )
    select low as seq, (select max(seq) from changes) as last from halves where low = high`
  const row = await database.get<{ seq: number; last: Value }>(sql, [moment, start.seq, moment, moment])
  if (!row) throw new Error('the history has a gap')
  return positionOf(row.seq, row.last)
}

/** Returns the position after change number `seq`. Throws `invalid_request` for a change before the history starts. */
export async function positionAfter(database: Database, seq: number): Promise<HistoryPosition> {
  const start = await historyStart(database)
  if (seq < start.seq) throw tooOld('The state that this list shows', start)
  return positionOf(seq, await latestSeq(database))
}

/** The newest change's number, or 0 if there is none. */
export async function latestSeq(database: Database): Promise<number> {
  return Number((await database.get('select max(seq) as last from changes'))?.last ?? 0)
}

/** Selects the latest time among the newest changes, as `at`. There is no index on times. */
export const latestChangeTime = 'select max(at) as at from (select at from changes order by seq desc limit 1000) newest'

function positionOf(seq: number, last: Value): HistoryPosition {
  return { seq, laterChanges: Math.max(Number(last) - seq, 0) }
}
