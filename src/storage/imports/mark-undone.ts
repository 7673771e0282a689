import type { Database } from '../../database/database.ts'
import { importKind } from './import.ts'

/** Marks the import that made this change set as undone, if an import did. */
export async function markImportUndone(database: Database, changeSet: string): Promise<void> {
  const sql = `update jobs set state = 'undone' where kind = ? and state in ('done', 'cancelled') and input like ?`
  await database.run(sql, [importKind, `%"changeSet":${JSON.stringify(changeSet)}%`])
}
