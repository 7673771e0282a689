import type { Storage, TenantLocation } from '../../engine/storage.ts'
import { decimalsOf } from '../fields/text-formats.ts'

/** Returns how many decimals amounts in the tenant's currency have. */
export async function findDecimals(storage: Pick<Storage, 'run'>, tenant: TenantLocation): Promise<number> {
  const { body } = await storage.run(tenant, 'settings', { name: '' })
  return decimalsOf(JSON.parse(body).currency)
}
