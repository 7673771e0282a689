// How a writer opens a tenant's file: checks its owner, its integrity if in doubt, and its schema version.

import { Unavailable } from '../../../database/database.ts'
import { type Connection, connect } from '../../../database/sqlite/connection.ts'
import type { Resources } from '../../../resources/resource.ts'
import { isBehind, requireInitialized, requireOwnedBy } from '../migrate.ts'
import { findPendingMaintenance, type PendingMaintenance } from './pending-maintenance.ts'

/** The file needs a migration. A reader thread runs it: it takes seconds for a large file, and the writer's other
 *  tenants would wait. */
export class MigrationRequired extends Unavailable {}

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
): Promise<{ connection: Connection; pendingMaintenance: PendingMaintenance }> {
  const connection = connect(path, lockTimeoutMs)
  try {
    connection.exec(`pragma wal_autocheckpoint = ${autoCheckpointPages}`)
    requireInitialized(connection)
    if (isQuarantined && connection.get('pragma quick_check(1)')?.quick_check !== 'ok') {
      throw new Unavailable('the file is damaged')
    }
    requireOwnedBy(connection, id)
    if (isBehind(connection, resources)) throw new MigrationRequired('the file is not at the present schema yet')
    return { connection, pendingMaintenance: await findPendingMaintenance(connection, resources) }
  } catch (error) {
    connection.close()
    throw error instanceof Unavailable ? error : new Unavailable((error as Error).message)
  }
}
