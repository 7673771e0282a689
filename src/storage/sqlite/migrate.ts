// Brings one tenant's file to the present schema: all pending statements and the new version in one transaction.

import { Unavailable } from '../../database.ts'
import type { Resources } from '../../resources/resource.ts'
import { schemaChanges, schemaVersion } from '../../resources/schema.ts'
import { type Connection, sqliteDialect } from './connection.ts'

/** `id` is written into a new file, so that a file in another one's place is noticed. */
export async function migrate(connection: Connection, resources: Resources, id: string): Promise<void> {
  const version = fileVersion(connection)
  const present = schemaVersion(resources)
  if (version === present) return
  if (version > present) throw new Unavailable(`made by a newer version (schema ${version}, this is ${present})`)
  await connection.transaction(async () => {
    const from = fileVersion(connection) // again: another process may have been here first
    for (const statement of schemaChanges(resources, from, sqliteDialect)) connection.exec(statement)
    if (from === 0) connection.run('insert into tenant (id) values (?)', [id])
    connection.exec(`pragma user_version = ${present}`)
  })
}

/** The schema version a file is at; 0 for one that holds nothing. */
export function fileVersion(connection: Connection): number {
  return connection.get('pragma user_version')!.user_version as number
}
