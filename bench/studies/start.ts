// What studies of one tenant's database have in common: they fill it and then run operations in this process, without HTTP.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import type { Database } from '../../src/database/database.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import { describeMachine } from '../harness/machine.ts'
import { makeTenants, tenantSlug } from '../harness/tenants.ts'

type Work<T> = (database: Database) => Promise<T>

/** `write` and `read`: run something in a transaction of their own. `url`: of the database on a PostgreSQL that the study has started. */
export type StudiedTenant = {
  write(work: Work<void>): Promise<void>
  read<T>(work: Work<T>): Promise<T>
  url: string | undefined
}

/** Prints the machine, makes an empty tenant, and removes it in the end. */
export async function withStudiedTenant(
  name: string,
  isOnPostgres: boolean,
  work: (tenant: StudiedTenant) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), `tenantdesk-${name}-`))
  await using started = new AsyncDisposableStack()
  started.defer(() => rmSync(directory, { recursive: true, force: true }))
  const server = isOnPostgres ? started.adopt(await startPostgres(), (each) => each.remove()) : undefined
  const url = server && `${server.url}/postgres`
  const settings = { DATA_DIR: directory, LOG_LEVEL: 'warn', ...(url && { DATABASE_URL: url }) }
  const { node, cores, sync } = describeMachine(join(directory, 'sync'))
  const engine = url ? 'PostgreSQL' : 'SQLite'
  console.log(`Node ${node}, ${engine}, ${cores} cores, a 4 KiB write with fsync takes ${sync.toFixed(2)} ms`)
  await makeTenants(settings, 1)
  await withCatalog(readConfig(settings), async (catalog, databases) => {
    const tenant = await requireTenant(catalog, tenantSlug(1))
    await work({
      write: (change) => databases.write(tenant, ({ database }) => change(database)),
      read: (question) => databases.read(tenant, ({ database }) => question(database)),
      url,
    })
  })
}

export function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!
}
