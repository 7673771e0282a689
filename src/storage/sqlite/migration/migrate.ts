// Brings one tenant's file to the present schema: all pending statements and the new version in one transaction.

import { Unavailable } from '../../../database/database.ts'
import { type Connection, sqliteDialect } from '../../../database/sqlite/connection.ts'
import type { Resources } from '../../../resources/resource.ts'
import { changeSchema, schemaVersion } from '../../../resources/schema/schema.ts'
import { MigrationFailed } from '../../migration-queue.ts'

/** `owner` is written into a new file, so that a file in another one's place is noticed. Whether there was anything to do.
 *  Throws MigrationFailed, Unavailable. */
export async function migrate(connection: Connection, resources: Resources, owner: string): Promise<boolean> {
  if (!isBehind(connection, resources)) return false
  const present = schemaVersion(resources)
  try {
    await connection.transaction(async () => {
      const from = fileVersion(connection) // again: another process may have been here first
      if (from === present) return
      await changeSchema(connection, resources, from, sqliteDialect)
      if (from === 0) connection.run('insert into tenant (id) values (?)', [owner])
      connection.exec(`pragma user_version = ${present}`)
    })
  } catch (error) {
    throw error instanceof Unavailable ? error : new MigrationFailed((error as Error).message)
  }
  return true
}

/** Throws Unavailable when the file was made by a newer version. */
export function isBehind(connection: Connection, resources: Resources): boolean {
  const [version, present] = [fileVersion(connection), schemaVersion(resources)]
  if (version > present) throw new Unavailable(`made by a newer version (schema ${version}, this is ${present})`)
  return version < present
}

/** Throws Unavailable when a file holds nothing, or nothing of this program. */
export function requireInitialized(connection: Connection): void {
  if (fileVersion(connection) === 0) throw new Unavailable('the file is empty or not of this program')
}

/** Throws Unavailable when a file is another tenant's, or when its tenant is moving to another server. */
export function requireOwnedBy(connection: Connection, tenant: string): void {
  const owner = connection.get('select id from tenant')?.id
  if (owner !== tenant) throw new Unavailable(`the file is not open to this tenant: its owner is "${owner}"`)
}

/** The schema version a file is at; 0 for one that holds nothing. */
function fileVersion(connection: Connection): number {
  return connection.get('pragma user_version')!.user_version as number
}
