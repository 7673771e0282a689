// Which change set undid which. Each undo is a row of the table `undos`, found from either change set.

import type { Database } from '../../../engine/database/database.ts'
import { unpaddedPlaceholders } from '../../../engine/database/statements.ts'

/** `undone`: the change set that this one undid. `undoneBy`: the change set that undid this one. */
export type Undos = { undone: string | null; undoneBy: string | null }

export async function readUndos(database: Database, { changeSet }: { changeSet: string }): Promise<Undos> {
  const [undo] = await findUndos(database, 'change_set', [changeSet])
  const [later] = await findUndos(database, 'undone', [changeSet])
  return { undone: undo?.undone ?? null, undoneBy: later?.change_set ?? null }
}

/** A redo undid an undo, and the undo of a redo is an undo again. */
export type SetKind = 'change' | 'undo' | 'redo'

/** Users rarely undo and redo the same changes more often than this. */
const maxUndos = 20

export async function readSetKinds(
  database: Database,
  { changeSets }: { changeSets: readonly string[] },
): Promise<Record<string, SetKind>> {
  const undone = new Map<string, string>()
  for (let round = 0, sets = changeSets; round < maxUndos && sets.length > 0; round++) {
    const undos = await findUndos(database, 'change_set', sets)
    for (const each of undos) undone.set(each.change_set, each.undone)
    sets = undos.map((each) => each.undone).filter((each) => !undone.has(each))
  }
  return Object.fromEntries(changeSets.map((each) => [each, kindOf(each, undone)]))
}

function kindOf(changeSet: string, undone: ReadonlyMap<string, string>): SetKind {
  let count = 0
  for (let each = undone.get(changeSet); each !== undefined; each = undone.get(each)) count++
  return count === 0 ? 'change' : count % 2 === 1 ? 'undo' : 'redo'
}

/** Finds the undos that these change sets made (`change_set`), or by which these change sets were undone (`undone`). */
export function findUndos(database: Database, column: 'change_set' | 'undone', changeSets: readonly string[]) {
  return database.all<{ change_set: string; undone: string }>(
    `select change_set, undone from undos where ${column} in (${unpaddedPlaceholders(changeSets)})`,
    changeSets,
  )
}
