import { type AuditActor, writeEvent } from '../catalog/audit/audit-log.ts'
import { type Catalog, transitionalStates } from '../catalog/catalog.ts'
import { isDay } from '../domain/fields/field-values.ts'
import type { Database } from '../engine/database/database.ts'
import { UserError } from '../lib/user-error.ts'
import type { Tenant } from './tenants.ts'

/** A hundred years. */
const maxDays = 36_525

/** Sets for how many days the tenant's history is kept; 0: forever; null: the installation's setting. Throws
 *  UserError. */
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

/** Reads the value of `--history-days`; null stands for `default`. Throws UserError. */
export function readHistoryDays(text: string): number | null {
  if (text === 'default') return null
  if (/^\d{1,5}$/.test(text) && Number(text) <= maxDays) return Number(text)
  throw new UserError(
    `--history-days takes a number of days up to ${maxDays}, 0 (for ever) or default, not ${JSON.stringify(text)}.`,
  )
}

/** Changes the last day of a tenant's trial. Throws UserError. */
export async function setTrialEnd(
  catalog: Catalog,
  { id, slug }: Tenant,
  day: string,
  actor: AuditActor,
): Promise<void> {
  if (!isDay(day))
    throw new UserError(`${JSON.stringify(day)} is not a date: --trial-ends takes YYYY-MM-DD.`, 'day_wrong')
  await catalog.transaction(async (database) => {
    const sql = `update tenants set trial_ends = ? where id = ? and state = 'trial'`
    if ((await database.run(sql, [day, id])) === 0)
      throw new UserError(`Tenant ${slug} is not on trial.`, 'not_on_trial')
    await writeEvent(database, 'tenant_set', actor, { tenantId: id, detail: { slug, trial_ends: day } })
  })
}

/** `changeSet`: the request's change set. */
export type TenantRename = { name: string; changeSet: string; apiKeyId?: string }

/** Renames a tenant, at most once per change set. */
export async function renameTenant(
  catalog: Catalog,
  { id, slug }: Pick<Tenant, 'id' | 'slug'>,
  rename: TenantRename,
  actor: AuditActor,
): Promise<void> {
  const { name, changeSet, apiKeyId } = rename
  await catalog.transaction(async (database) => {
    const before = await database.get('select name from tenants where id = ?', [id])
    if (!before || before.name === name || (await isRecorded(database, id, changeSet))) return
    const sql = `update tenants set name = ? where id = ? and state not in ${transitionalStates}`
    if ((await database.run(sql, [name, id])) === 0) return
    const detail = {
      slug,
      from: before.name,
      to: name,
      change_set: changeSet,
      ...(apiKeyId && { api_key_id: apiKeyId }),
    }
    await writeEvent(database, 'tenant_renamed', actor, { tenantId: id, detail })
  })
}

async function isRecorded(database: Database, id: string, changeSet: string): Promise<boolean> {
  const sql = `select 1 as found from audit_events where tenant_id = ? and event = 'tenant_renamed' and detail like ?`
  return (await database.get(sql, [id, `%"change_set":"${changeSet}"%`])) !== undefined
}
