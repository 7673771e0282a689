import type { Database } from '../../database/database.ts'
import { importKind } from './import.ts'

/** Whether the import that makes this change set still adds to it. */
export async function isImportRunning(database: Database, changeSet: string): Promise<boolean> {
  const sql = `select id from jobs where kind = ? and state = 'running' and input like ?`
  return (await database.get(sql, [importKind, inputWith(changeSet)])) !== undefined
}

/** Marks the import that made this change set as undone, if an import did. */
export async function markImportUndone(database: Database, changeSet: string): Promise<void> {
  const sql = `update jobs set state = 'undone' where kind = ? and state in ('done', 'cancelled') and input like ?`
  await database.run(sql, [importKind, inputWith(changeSet)])
}

function inputWith(changeSet: string): string {
  return `%"changeSet":${JSON.stringify(changeSet)}%`
}
