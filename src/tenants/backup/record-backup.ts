import { dirname } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { recordRun } from '../../catalog/tables/backup-records.ts'
import type { BackupResult } from './back-up.ts'
import { filesOf } from './manifest.ts'
import { readTime } from './reuse.ts'

/** Records in the catalog which tenants a run backed up and whether any failed, for the panel, metrics and
 *  /readyz. */
export function recordBackup(catalog: Catalog, result: BackupResult, now: Date): Promise<void> {
  const { path, manifest, copied, unchanged, failed, lost } = result
  const backedUp = manifest.tenants.filter(({ slug }) => copied.includes(slug) || unchanged.includes(slug))
  const [first] = failed
  return recordRun(catalog, {
    directory: dirname(path),
    backedUp: backedUp.map(({ id }) => id),
    now,
    failure: first ? `${first.slug}: ${first.reason}` : null,
    checks: { read_since: filesOf(manifest).map(readTime).sort()[0] ?? null, lost_files: lost.length },
  })
}
