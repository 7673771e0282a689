import { type AuditActor, writeEvent } from '../catalog/audit-log.ts'
import { type Catalog, transitionalStates } from '../catalog/catalog.ts'
import { UserError } from '../lib/user-error.ts'
import type { Tenant } from './tenants.ts'

/** A hundred years. */
const mostDays = 36_525

/** Sets for how many days the tenant's history is kept; 0: for ever; null: as long as the installation's setting says. */
export async function setHistoryDays(
  catalog: Catalog,
  { id, slug }: Tenant,
  days: number | null,
  actor: AuditActor,
): Promise<void> {
  await catalog.transaction(async (database) => {
    const sql = `update tenants set history_days = ? where id = ? and state not in ${transitionalStates}`
    if ((await database.run(sql, [days, id])) === 0) throw new UserError(`There is no tenant ${slug}.`)
    await writeEvent(database, 'tenant_set', actor, { tenantId: id, detail: { slug, history_days: days } })
  })
}

/** Throws UserError. */
export function readHistoryDays(text: string): number | null {
  if (text === 'default') return null
  if (/^\d{1,5}$/.test(text) && Number(text) <= mostDays) return Number(text)
  throw new UserError(
    `--history-days takes a number of days up to ${mostDays}, 0 (for ever) or default, not ${JSON.stringify(text)}.`,
  )
}
