// Resets a restored tenant to a point in time before its backup, by undoing all later changes in a new change set.

import { randomUUID } from 'node:crypto'
import type { Resources } from '../../../domain/declarations/resource.ts'
import { historyStart, latestSeq, positionAt } from '../../../domain/history/positions.ts'
import { findConflicts } from '../../../domain/history/undo/conflicts.ts'
import { readPlanAbove, revert } from '../../../domain/history/undo/plan.ts'
import { readTimestamp } from '../../../domain/lists/request/operands.ts'
import { newChangeSet } from '../../../domain/records/changes.ts'
import type { Database } from '../../../engine/database/database.ts'
import { UserError } from '../../../lib/user-error.ts'

/** The last change to keep, by its number or by time. */
export type Until = { seq: number } | { time: string }

/** Reads the value of `--until`: a whole number, or a date with or without a time. Throws UserError. */
export function readUntil(text: string): Until {
  if (/^\d{1,15}$/.test(text)) return { seq: Number(text) }
  const time = readTimestamp(text)
  if (typeof time === 'string') return { time }
  throw new UserError(
    `--until takes a change number, or a time such as 2026-01-31T09:30:00Z, not ${JSON.stringify(text)}.`,
  )
}

/** Throws UserError if the tenant may have changed between the backup and this time. */
export function requireInBackup(until: Until | null, { verified_at }: { verified_at: string }): void {
  if (until && 'time' in until && until.time > verified_at)
    throw new UserError(
      `The backup shows the tenant at ${verified_at}; it cannot be restored to the later ${until.time}.`,
    )
}

/** Returns the number of the last change that was kept, and how many changes were undone. Throws UserError if the
 *  backup does not contain the change or time in `until`, or if the changes cannot be undone. */
export async function undoLaterChanges(
  database: Database,
  resources: Resources,
  until: Until,
  now: Date,
): Promise<{ seq: number; undone: number }> {
  const [start, last] = [await historyStart(database), await latestSeq(database)]
  const isBefore = 'seq' in until ? until.seq < start.seq : until.time < start.at
  if (isBefore)
    throw new UserError(
      `The history in the backup begins with change ${start.seq + 1}; it cannot be restored to an earlier change.`,
    )
  const seq = 'seq' in until ? until.seq : (await positionAt(database, until.time)).seq
  if ('time' in until && seq === 0 && last > 0)
    throw new UserError(`The tenant had no records yet at ${until.time}; choose a later time, or change 0.`)
  if (seq > last) throw new UserError(`The backup ends with change ${last}; it cannot be restored to change ${seq}.`)
  if (seq === last) return { seq, undone: 0 }
  const plan = await readPlanAbove(database, resources, seq)
  const pause = () => {}
  const { conflicts, valuesToClear } = await findConflicts(database, resources, plan, pause)
  if (conflicts.length > 0) {
    const { resource, id, reason } = conflicts[0]!
    throw new UserError(
      `The changes after ${seq} cannot be undone. Conflicts: ${conflicts.length}, such as ${resource} ${id} (${reason}).`,
    )
  }
  const context = {
    now: now.toISOString(),
    actor: { command: true as const },
    requestId: randomUUID(),
    changeSet: newChangeSet(now),
  }
  await revert({ database, context, pause }, plan, valuesToClear)
  return { seq, undone: last - seq }
}
