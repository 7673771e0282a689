// Tenants and their states (§3, contract §12).

import { type AuditActor, writeEvent } from '../catalog/audit/audit-log.ts'
import { type Catalog, transitionalStates } from '../catalog/catalog.ts'
import { isSlug, maxSlugLength } from '../catalog/ids.ts'
import type { Resources } from '../domain/declarations/resource.ts'
import { isDay } from '../domain/fields/field-values.ts'
import { fold } from '../domain/search/fold.ts'
import type { Database } from '../engine/database/database.ts'
import type { TenantDatabases } from '../engine/tenant-databases.ts'
import { cleanText, isOneLine } from '../lib/text.ts'
import { UserError } from '../lib/user-error.ts'

/** What operations on whole tenants work with. */
export type TenantDependencies = { catalog: Catalog; databases: TenantDatabases; resources: Resources }

export type Tenant = {
  id: string
  slug: string
  name: string
  state: 'trial' | 'active' | 'suspended'
  trial_ends: string | null
  created_at: string
  /** The name of the tenant's database server. */
  server: string
  /** The reason for the suspension, for operators only; the tenant never sees it. */
  suspended_because: string | null
  /** For how many days the tenant's history is kept; 0: forever; null: the installation's setting. */
  history_days: number | null
}

/** The start of `suspended_because` of a tenant that a restore put aside. */
export const replacedByBackup = 'Replaced by a backup'

export const tenantColumns = 'id, slug, name, state, trial_ends, created_at, server, suspended_because, history_days'

export async function listTenants(catalog: Catalog): Promise<Tenant[]> {
  const sql = `select ${tenantColumns} from tenants where state not in ${transitionalStates} order by slug`
  return catalog.database.all<Tenant>(sql)
}

/** Returns the first tenants for a menu: those with `preferred` slugs, then others by name. */
export async function listFirstTenants(
  catalog: Catalog,
  limit: number,
  preferred: readonly string[],
): Promise<Tenant[]> {
  const rank = preferred.length > 0 ? `slug not in (${preferred.map(() => '?').join(', ')}), ` : ''
  const sql = `select ${tenantColumns} from tenants where state not in ${transitionalStates}
    order by ${rank}name, slug limit ?`
  return catalog.database.all<Tenant>(sql, [...preferred, limit])
}

export async function hasTenants(catalog: Catalog): Promise<boolean> {
  const sql = `select 1 as found from tenants where state not in ${transitionalStates} limit 1`
  return (await catalog.database.get(sql)) !== undefined
}

export async function countTenantsByState({ database }: Catalog): Promise<Record<Tenant['state'], number>> {
  const sql = `select state, count(*) as tenants from tenants where state not in ${transitionalStates} group by state`
  const rows = await database.all<{ state: string; tenants: number }>(sql)
  const counts = Object.fromEntries(rows.map(({ state, tenants }) => [state, tenants]))
  return { active: 0, trial: 0, suspended: 0, ...counts }
}

export async function requireTenant(catalog: Catalog, slug: string): Promise<Tenant> {
  const tenant = await findTenant(catalog, slug)
  if (!tenant) throw new UserError(unknownTenant(slug))
  return tenant
}

/** Rejects the tenant's requests until it is activated again. Throws UserError. */
export async function suspendTenant(
  catalog: Catalog,
  { id, slug }: Tenant,
  reason: string | undefined,
  actor: AuditActor,
): Promise<void> {
  const because = readReason(reason)
  const set = `state = 'suspended', suspended_because = ?`
  await catalog.transaction(async (database) => {
    const sql = `update tenants set ${set} where id = ? and state not in ${transitionalStates}`
    if ((await database.run(sql, [because, id])) === 0) throw new UserError(unknownTenant(slug))
    const detail = { slug, ...(because !== null && { reason: because }) }
    await writeEvent(database, 'tenant_suspended', actor, { tenantId: id, detail })
  })
}

/** Ends a suspension or a trial. Throws UserError. */
export async function activateTenant(catalog: Catalog, { id, slug }: Tenant, actor: AuditActor): Promise<void> {
  const set = `state = 'active', trial_ends = null, suspended_because = null`
  await catalog.transaction(async (database) => {
    const sql = `update tenants set ${set} where id = ? and state not in ${transitionalStates}`
    if ((await database.run(sql, [id])) === 0) throw new UserError(unknownTenant(slug))
    await writeEvent(database, 'tenant_activated', actor, { tenantId: id, detail: { slug } })
  })
}

/** Validates a display name: one line of at most 100 characters. Throws UserError. */
export function readName(input: string | undefined, fallback: string): string {
  const name = cleanText(input ?? '') || fallback
  if ([...name].length > 100 || !isOneLine(name))
    throw new UserError('A name is one line of at most 100 characters.', 'name_wrong')
  return name
}

/** Validates an optional reason: one line of at most 200 characters. Throws UserError. */
function readReason(input: string | undefined): string | null {
  const reason = cleanText(input ?? '') || null
  if (reason !== null && ([...reason].length > 200 || !isOneLine(reason) || !reason.isWellFormed())) {
    throw new UserError('A reason is one line of at most 200 characters.', 'reason_long')
  }
  return reason
}

/** Throws UserError if the text is not a valid slug. */
export function requireSlug(slug: string): void {
  if (isSlug(slug)) return
  throw new UserError(
    `${JSON.stringify(slug)} is not a slug: a slug has 2 to 40 characters (a-z, 0-9 and -) and starts with a letter.`,
    'slug_wrong',
  )
}

/** Derives a slug from a tenant's name; empty if the name has no Latin letters. The panel's script does the same. */
export function slugFrom(name: string): string {
  const slug = fold(name)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
  return slug.slice(0, maxSlugLength).replace(/-$/, '')
}

export function unknownTenant(slug: string): string {
  return `There is no tenant ${slug}.`
}

export async function findTenant(catalog: Catalog, slug: string): Promise<Tenant | undefined> {
  if (!isSlug(slug)) return undefined
  const sql = `select ${tenantColumns} from tenants where slug = ? and state not in ${transitionalStates}`
  return catalog.database.get<Tenant>(sql, [slug])
}

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
    if ((await database.run(sql, [days, id])) === 0) throw new UserError(unknownTenant(slug))
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
