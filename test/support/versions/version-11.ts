// A tenant's database as version 11 of the schema created it, before the tables of imports and bulk edits were renamed.
// It contains an import that is done (1), a bulk edit that has been checked (2), and an import whose first part of three
// has been applied (3). The SQL is a recording; do not edit it.

import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { catalogDatabaseOf } from '../databases/tenant-database.ts'
import type { Environment } from '../service.ts'
import { makeRecordedTenant, type RecordedTenant, recordingOf } from './first-version.ts'

/** Shortly after the recording. */
export const afterRecording = '2030-01-01T00:01:00.000Z'

/** Creates a tenant with this database. Its jobs are due at `afterRecording`. */
export async function makeVersion11Tenant(environment: Environment, slug: string): Promise<RecordedTenant> {
  const recorded = await makeRecordedTenant(environment, slug, 11, 'version-11')
  const catalog = await catalogDatabaseOf(environment)
  await catalog.run(`insert into due_tenants (tenant_id, due_at, marked_at)
    values ('${recorded.tenantDatabase.id}', '${afterRecording}', '${afterRecording}')`)
  return recorded
}

/** Replaces a SQLite file with this database. The unfinished import is due now. */
export function writeVersion11File(path: string, tenantId: string): void {
  rmSync(path)
  using database = new DatabaseSync(path)
  database.exec(recordingOf('sqlite', tenantId, 11, 'version-11'))
  database.exec(`update jobs set due_at = '2026-01-01T00:00:00.000Z' where id = 3`)
}
