// Records which change set undid which other change set, so that each leads to the other.

import type { Database } from '../../../engine/database/database.ts'

export async function recordUndo(database: Database, { changeSet, undone }: { changeSet: string; undone: string }) {
  await database.run('insert into undos (change_set, undone) values (?, ?)', [changeSet, undone])
}

/** Returns the change set that this one undid, or null if it is not an undo. */
export async function findUndone(database: Database, changeSet: string): Promise<string | null> {
  const row = await database.get('select undone from undos where change_set = ?', [changeSet])
  return (row?.undone ?? null) as string | null
}

/** Returns the change set that undid this one, or null if none is recorded. */
export async function findRecordedUndo(database: Database, changeSet: string): Promise<string | null> {
  const row = await database.get('select change_set from undos where undone = ?', [changeSet])
  return (row?.change_set ?? null) as string | null
}
