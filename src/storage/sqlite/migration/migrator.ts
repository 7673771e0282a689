// Entry point of a migration thread. Migrating a large file takes seconds; here it delays no other tenant.

import { parentPort, workerData } from 'node:worker_threads'
import { Unavailable } from '../../../database/database.ts'
import { connect } from '../../../database/sqlite/connection.ts'
import { MigrationFailed } from '../../migration-queue.ts'
import { tenantFile } from '../tenant-files.ts'
import type { WorkerSettings } from '../writer/worker.ts'
import { migrate, requireInitialized, requireOwnedBy } from './migrate.ts'

/** The result for one file. `isOutage`: the migration could not be attempted. */
export type Migrated = { failure: string; isOutage: boolean } | { failure: null }

const settings = workerData as WorkerSettings
const port = parentPort!

port.on('message', async (tenant: string) => {
  try {
    await migrateFile(tenant)
    port.postMessage({ failure: null } satisfies Migrated)
  } catch (error) {
    const isOutage = error instanceof Unavailable && !(error instanceof MigrationFailed)
    port.postMessage({ failure: (error as Error).message, isOutage } satisfies Migrated)
  }
})

async function migrateFile(tenant: string): Promise<void> {
  const connection = connect(tenantFile(settings.directory, tenant))
  try {
    requireInitialized(connection)
    requireOwnedBy(connection, tenant)
    await migrate(connection, settings.resources, tenant)
  } finally {
    connection.close()
  }
}
