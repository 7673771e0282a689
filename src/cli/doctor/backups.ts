import { resolve } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { findOverdue, findRun, listBackupTimes } from '../../catalog/tables/backup-records.ts'
import type { Config } from '../../config.ts'
import { lateBackupMs } from '../../http/health.ts'
import { findDirectoryProblem } from '../../tenants/backup/directory.ts'
import { type Finding, failure, ok, warning } from './finding.ts'

/** Checks that every tenant has a backup that is not too old. */
export async function checkBackups(catalog: Catalog, config: Config, now: Date): Promise<Finding> {
  const tenants = await listBackupTimes(catalog)
  if (tenants.length === 0) return ok('backups', 'There is no tenant to back up yet.')
  const { tenants: overdue, since } = await findOverdue(catalog, lateBackupMs(config.BACKUP_EVERY), now)
  if (overdue === 0) return ok('backups', 'Every tenant has a recent backup or is new.')
  const never = tenants.filter(({ backed_up_at }) => backed_up_at === null).length
  return warning(
    'backups',
    `${overdue} of ${tenants.length} tenants have had no backup since ${since}; ${never} have never been backed up.`,
    'Create one now: tenantdesk backup --to DIR. With BACKUP_EVERY and BACKUP_DIR the server creates backups automatically.',
  )
}

/** Checks that the server can write to BACKUP_DIR, and how its last scheduled backup ended. `catalog`: undefined if it
 *  cannot be used. */
export async function checkBackupDirectory(catalog: Catalog | undefined, config: Config): Promise<Finding[]> {
  const check = 'backup_directory'
  if (config.BACKUP_DIR === '') return []
  const directory = resolve(config.BACKUP_DIR)
  const problem = await findDirectoryProblem(catalog, directory)
  if (problem) return [failure(check, problem.message, problem.remedy)]
  const run = catalog && (await findRun(catalog, directory))
  if (run?.failed_at)
    return [
      failure(check, `The backup at ${run.failed_at} failed: ${run.failure}`, 'The server retries it. See its log.'),
    ]
  if (run && run.lost_files > 0) {
    const message = `The last backup found ${run.lost_files} files missing or damaged in ${directory}, and copied them anew.`
    return [
      warning(check, message, `Check its disk, and what else deletes files there: tenantdesk verify ${directory}`),
    ]
  }
  if (config.BACKUP_EVERY === null)
    return [warning(check, 'BACKUP_DIR is set without BACKUP_EVERY.', 'Set BACKUP_EVERY=24h for a backup every day.')]
  return [ok(check, `Backups can be written to ${directory}.`)]
}
