import type { Catalog } from '../../catalog/catalog.ts'
import { findOverdue, listBackupTimes } from '../../catalog/tables/backup-records.ts'
import type { Config } from '../../config.ts'
import { type Finding, ok, warning } from './finding.ts'

/** The expected interval between backups if BACKUP_EVERY is not set. */
const dayMs = 86_400_000

/** Checks that every tenant has a backup that is not too old. */
export async function checkBackups(catalog: Catalog, config: Config, now: Date): Promise<Finding> {
  const tenants = await listBackupTimes(catalog)
  if (tenants.length === 0) return ok('backups', 'There is no tenant to back up yet.')
  const { tenants: overdue, since } = await findOverdue(catalog, 2 * (config.BACKUP_EVERY ?? dayMs), now)
  if (overdue === 0) return ok('backups', 'Every tenant has a recent backup or is new.')
  const never = tenants.filter(({ backed_up_at }) => backed_up_at === null).length
  return warning(
    'backups',
    `${overdue} of ${tenants.length} tenants have had no backup since ${since}; ${never} have never been backed up.`,
    'Create one now: tenantdesk backup --to DIR. With BACKUP_EVERY and BACKUP_DIR the server creates backups automatically.',
  )
}
