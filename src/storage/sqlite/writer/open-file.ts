// How a writer opens a tenant's file: checks its owner, its integrity if in doubt, and its schema version.

import { statSync } from 'node:fs'
import { Unavailable } from '../../../database/database.ts'
import { type Connection, connect } from '../../../database/sqlite/connection.ts'
import type { Resources } from '../../../resources/resource.ts'
import { MigrationFailed, type OnMigrated } from '../../migration-queue.ts'
import { isBehind, migrate, requireInitialized, requireOwnedBy } from '../migration/migrate.ts'
import { findPendingMaintenance, type PendingMaintenance } from './pending-maintenance.ts'

/** The file needs a migration and is too large to be migrated while the writer's other tenants wait. */
export class MigrationRequired extends Unavailable {}

/** A file up to this size is migrated on opening, which takes some tens of milliseconds. */
const maxInlineMigrationBytes = 2 ** 20
/** How long a batch waits for a lock of another process. Meanwhile the writer's other tenants wait too. */
const lockTimeoutMs = 50

/** SQLite checkpoints a WAL of this many pages at commit. A fallback: pending-maintenance.ts normally does so
 *  earlier. */
const autoCheckpointPages = 4000

/** Opens and verifies a tenant's file. `isQuarantined`: first checks every page for damage. */
export async function openFile(
  path: string,
  id: string,
  resources: Resources,
  isQuarantined: boolean,
  onMigrated: OnMigrated,
): Promise<{ connection: Connection; pendingMaintenance: PendingMaintenance }> {
  const connection = connect(path, lockTimeoutMs)
  try {
    connection.exec(`pragma wal_autocheckpoint = ${autoCheckpointPages}`)
    requireInitialized(connection)
    if (isQuarantined && connection.get('pragma quick_check(1)')?.quick_check !== 'ok') {
      throw new Unavailable('the file is damaged')
    }
    requireOwnedBy(connection, id)
    if (isBehind(connection, resources)) {
      if (statSync(path).size > maxInlineMigrationBytes)
        throw new MigrationRequired('the file is not at the present schema yet')
      await migrate(connection, resources, id)
      onMigrated(id, null)
    }
    return { connection, pendingMaintenance: await findPendingMaintenance(connection, resources) }
  } catch (error) {
    connection.close()
    if (error instanceof MigrationFailed) onMigrated(id, error.message)
    throw error instanceof Unavailable ? error : new Unavailable((error as Error).message)
  }
}
