import { resolve } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { findRun } from '../../catalog/tables/backup-records.ts'
import type { Config } from '../../config.ts'
import { findDirectoryProblem } from '../../tenants/backup/directory.ts'
import { type Finding, failure, ok, warning } from './finding.ts'

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
