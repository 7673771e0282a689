// Where the history starts: older changes were removed after their retention period. The rows that retention keeps
// without content (retention/) are not part of the history.

import type { Database } from '../../engine/database/database.ts'
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
