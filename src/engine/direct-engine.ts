// Runs operations for commands, in the command's own process. A server may have the tenant's database open at the same
// time.

import { Unavailable } from './database/database.ts'
import type { Engine } from './engine.ts'
import { type Operation, runOperation } from './operation.ts'
import type { Product } from './product.ts'
import type { TenantDatabase, TenantDatabases, TenantLocation } from './tenant-databases.ts'

export function directEngine(databases: TenantDatabases, product: Product): Pick<Engine, 'run'> {
  return {
    async run<Input, Output>(
      tenant: TenantLocation,
      operation: Operation<Input, Output>,
      input: Input,
    ): Promise<Output> {
      const isWrite = operation.writes
      const work = async ({ database }: TenantDatabase): Promise<Output> => {
        // On PostgreSQL, a write first locks the tenant, as every other writer does.
        const lock = isWrite && database.engine === 'postgres' ? ' for update' : ''
        const row = await database.get(`select state from tenant${lock}`)
        if (row?.state !== 'open') throw new Unavailable('the tenant is being moved to another server')
        const pause = () => {} // nothing else runs here
        return runOperation(operation, database, input, { resources: product.resources, pause })
      }
      return isWrite ? databases.write(tenant, work) : databases.read(tenant, work)
    },
  }
}
