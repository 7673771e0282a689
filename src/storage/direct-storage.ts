// Runs operations for commands, in the command's own process. A server may have the tenant's database open at the same
// time.

import { Unavailable } from '../database/database.ts'
import type { Resources } from '../resources/resource.ts'
import { type OperationName, operations } from './operations.ts'
import type { Storage, TenantDatabase, TenantDatabases } from './storage.ts'

export function directStorage(databases: TenantDatabases, resources: Resources): Pick<Storage, 'run'> {
  return {
    async run(tenant, name, input) {
      const isWrite = operations[name].writes
      const work = async (tenantDatabase: TenantDatabase) => {
        await requireOpen(tenantDatabase, isWrite)
        const run = operations[name as OperationName].run as (...parts: unknown[]) => Promise<never>
        return run(tenantDatabase.database, resources, input, () => {}) // no pauses: nothing else runs here
      }
      return isWrite ? databases.write(tenant, work) : databases.read(tenant, work)
    },
  }
}

/** On PostgreSQL, a write first locks the tenant, as every other writer does. Throws Unavailable while the tenant is
 *  being moved to another server. */
async function requireOpen({ database }: TenantDatabase, isWrite: boolean): Promise<void> {
  const lock = database.engine === 'postgres' ? ' for update' : ''
  const row = await database.get(`select state from tenant${isWrite ? lock : ''}`)
  if (row?.state !== 'open') throw new Unavailable('the tenant is being moved to another server')
}
