// How a writer opens the file of a tenant: only one that is the tenant's, whole, and at the present schema.

import { statSync } from 'node:fs'
import { Unavailable } from '../../../database/database.ts'
import { type Connection, connect } from '../../../database/sqlite/connection.ts'
import type { Resources } from '../../../resources/resource.ts'
import { MigrationFailed, type OnMigrated } from '../../migration-queue.ts'
import { isBehind, migrate, requireInitialized, requireOwnedBy } from '../migration/migrate.ts'
import { newBacklog, type PendingMaintenance } from './pending-maintenance.ts'

/** The file is behind the present schema and too large to be migrated while the worker's other tenants wait. */
export class MigrationRequired extends Unavailable {}

/** A file up to this size is migrated where it is opened, within some tens of milliseconds. Bytes. */
const migratedHere = 2 ** 20
/** How long a batch waits when a stranger has locked the file: the worker's other tenants wait as well. Milliseconds. */
const lockedFor = 50

/** A commit moves a log of so many pages into the file itself, where nobody did it before: backlog.ts. */
const movedByCommit = 4000

/** Opens a tenant's file and makes sure that it is one. `isDistrusted`: reads every page for damage first. */
export async function openFile(
  path: string,
  id: string,
  resources: Resources,
  isDistrusted: boolean,
  migrated: OnMigrated,
): Promise<{ connection: Connection; backlog: PendingMaintenance }> {
  const connection = connect(path, lockedFor)
  try {
    connection.exec(`pragma wal_autocheckpoint = ${movedByCommit}`)
    requireInitialized(connection)
    if (isDistrusted && connection.get('pragma quick_check(1)')?.quick_check !== 'ok') {
      throw new Unavailable('the file is damaged')
    }
    requireOwnedBy(connection, id)
    if (isBehind(connection, resources)) {
      if (statSync(path).size > migratedHere) throw new MigrationRequired('the file is not at the present schema yet')
      await migrate(connection, resources, id)
      migrated(id, null)
    }
    return { connection, backlog: await newBacklog(connection, resources) }
  } catch (error) {
    connection.close()
    if (error instanceof MigrationFailed) migrated(id, error.message)
    throw error instanceof Unavailable ? error : new Unavailable((error as Error).message)
  }
}
