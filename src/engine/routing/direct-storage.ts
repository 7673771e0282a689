// Runs operations for commands, in the command's own process. A server may have the tenant's database open at the same
// time.

import type { Resources } from '../../domain/declarations/resource.ts'
import { type Input, type OperationName, type Output, operations, runOperation } from '../../domain/product.ts'
import { type Database, Unavailable } from '../database/database.ts'
import type { Storage, TenantDatabase, TenantDatabases, TenantLocation } from '../storage.ts'

export function directStorage(databases: TenantDatabases, resources: Resources): Pick<Storage, 'run'> {
  return {
    async run<Name extends OperationName>(
      tenant: TenantLocation,
      name: Name,
      input: Input<Name>,
    ): Promise<Output<Name>> {
      const isWrite = operations[name].writes
      const work = async ({ database }: TenantDatabase): Promise<Output<Name>> => {
        await requireOpen(database, isWrite)
        const pause = () => {} // nothing else runs here
        return runOperation({ database, resources, pause }, name, input)
      }
      return isWrite ? databases.write(tenant, work) : databases.read(tenant, work)
    },
  }
}

/** On PostgreSQL, a write first locks the tenant, as every other writer does. Throws Unavailable while the tenant is
 *  being moved to another server. */
async function requireOpen(database: Database, isWrite: boolean): Promise<void> {
  const lock = database.engine === 'postgres' ? ' for update' : ''
  const row = await database.get(`select state from tenant${isWrite ? lock : ''}`)
  if (row?.state !== 'open') throw new Unavailable('the tenant is being moved to another server')
}
