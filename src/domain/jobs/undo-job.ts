// Finds and marks the job whose changes are being undone. The `input` of an import or a bulk edit contains the job's
// change set.

import type { Database } from '../../engine/database/database.ts'

/** Whether a running job may still add changes to this change set. */
export async function isJobRunning(database: Database, changeSet: string): Promise<boolean> {
  const sql = `select id from jobs where state = 'running' and input like ?`
  return (await database.get(sql, [inputWith(changeSet)])) !== undefined
}

/** Marks the job that made this change set as undone, if the job has ended. */
export async function markJobUndone(database: Database, changeSet: string): Promise<void> {
  const sql = `update jobs set state = 'undone' where state in ('done', 'cancelled', 'failed') and input like ?`
  await database.run(sql, [inputWith(changeSet)])
}

function inputWith(changeSet: string): string {
  return `%"changeSet":${JSON.stringify(changeSet)}%`
}
