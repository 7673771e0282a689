// Shared code for the studies that fill a tenant's database and then run operations on it in this process,
// without HTTP.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import type { Database } from '../../src/database/database.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import { describeMachine } from '../harness/machine.ts'
import { seedTenants, tenantSlug } from '../harness/seed/tenants.ts'

type Query<T> = (database: Database) => Promise<T>

/** `write` and `read` run each query in a separate transaction. `url`: the PostgreSQL database's URL; undefined on
 *  SQLite. */
export type StudiedTenant = {
  write(query: Query<void>): Promise<void>
  read<T>(query: Query<T>): Promise<T>
  url: string | undefined
}

/** Prints a description of the machine, creates an empty tenant for the study, and removes the tenant at the end. */
export async function withStudiedTenant(
  name: string,
  isOnPostgres: boolean,
  study: (tenant: StudiedTenant) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), `tenantdesk-${name}-`))
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => rmSync(directory, { recursive: true, force: true }))
  const server = isOnPostgres ? cleanup.adopt(await startPostgres(), (each) => each.remove()) : undefined
  const url = server && `${server.url}/postgres`
  const settings = { DATA_DIR: directory, LOG_LEVEL: 'warn', ...(url && { DATABASE_URL: url }) }
  const { node, cores, sync } = describeMachine(join(directory, 'sync'))
  const engine = url ? 'PostgreSQL' : 'SQLite'
  console.log(`Node ${node}, ${engine}, ${cores} cores, a 4 KiB write with fsync takes ${sync.toFixed(2)} ms`)
  await seedTenants(settings, 1)
  await withCatalog(readConfig(settings), async (catalog, databases) => {
    const tenant = await requireTenant(catalog, tenantSlug(1))
    await study({
      write: (query) => databases.write(tenant, ({ database }) => query(database)),
      read: (query) => databases.read(tenant, ({ database }) => query(database)),
      url,
    })
  })
}

export function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!
}
