// Reads the tenants' problems from the catalog and the health checks, without opening any tenant's database.

import { html } from 'ghtml'
import { isActive } from '../../../catalog/catalog.ts'
import { listBackupTimes } from '../../../catalog/tables/backup-records.ts'
import { daysAfter, utcDayOf } from '../../../domain/lists/request/operands.ts'
import { listMigrationErrors } from '../../../tenants/migrations/migration-status.ts'
import type { Tenant } from '../../../tenants/tenants.ts'
import { formatDate, type Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'

/** A trial that ends within this many days appears as a problem. */
const soonDays = 14

/** `rank`: lower is more urgent. `words`: HTML. */
export type Trouble = { rank: number; words: string }

/** `unreachable`: the ids of tenants whose databases do not respond or have not been migrated. */
type Troubles = { of: (tenant: Tenant) => Trouble[]; unreachable: ReadonlySet<string> }

export async function readTroubles(request: SignedInRequest, tenants: Tenant[]): Promise<Troubles> {
  const { texts, deps } = request
  const { catalog, databases, databaseHealth, now } = deps
  const [errors, unreachable, lateBackups] = await Promise.all([
    listMigrationErrors(catalog, databases.version),
    databaseHealth.unreachableAmong(tenants),
    readLateBackups(request),
  ])
  const of = (tenant: Tenant) => [
    ...databaseTrouble(texts, tenant, errors.get(tenant.id), unreachable.has(tenant.id)),
    ...backupTrouble(texts, lateBackups, tenant),
    ...stateTrouble(texts, tenant, now()),
  ]
  return { of, unreachable: new Set([...unreachable, ...errors.keys()]) }
}

function databaseTrouble(
  { home }: Texts,
  { server }: Tenant,
  error: string | undefined,
  isUnreachable: boolean,
): Trouble[] {
  if (error !== undefined) return [{ rank: 0, words: html`${home.notMigrated} <code>${error.slice(0, 300)}</code>` }]
  return isUnreachable ? [{ rank: 0, words: html`${home.unreachable(server)}` }] : []
}

/** Returns the ids of the tenants whose backups are late, each with the time of the tenant's last backup (null if there
 *  is none). A backup is late if more than twice BACKUP_EVERY has passed since the last backup or, for a tenant that
 *  has never been backed up, since the tenant was created. The readiness check uses the same limit. */
async function readLateBackups({ deps }: SignedInRequest): Promise<Map<string, string | null>> {
  const { catalog, config, now } = deps
  if (config.BACKUP_EVERY === null) return new Map()
  const lateBefore = new Date(now().getTime() - 2 * config.BACKUP_EVERY).toISOString()
  const times = await listBackupTimes(catalog)
  const late = times.filter(({ backed_up_at, created_at }) => (backed_up_at ?? created_at) < lateBefore)
  return new Map(late.map(({ id, backed_up_at }) => [id, backed_up_at]))
}

function backupTrouble(texts: Texts, late: Map<string, string | null>, { id }: Tenant): Trouble[] {
  if (!late.has(id)) return []
  const time = late.get(id) ?? null
  const { backupLate, backupMissing } = texts.home
  return [{ rank: 1, words: html`${time === null ? backupMissing : backupLate(formatDate(texts, time.slice(0, 10)))}` }]
}

function stateTrouble({ home }: Texts, tenant: Tenant, now: Date): Trouble[] {
  const { state, trial_ends } = tenant
  if (state === 'suspended') return [{ rank: 2, words: html`${home.suspended}` }]
  if (!isActive(tenant, now)) return [{ rank: 2, words: html`${home.trialOver}` }]
  const soon = daysAfter(utcDayOf(now), soonDays)
  return state === 'trial' && trial_ends! <= soon ? [{ rank: 3, words: html`${home.trialEnds}` }] : []
}
