// The catalog's records of backups: when each tenant was last backed up, and how the last run to each directory ended.

import { type Catalog, keepsCachedKeys, transitionalStates } from '../catalog.ts'

/** What a run found out about the files of the backup. `read_since`: each of them has been read and found intact since
 *  then; null if there are none. `lost_files`: how many files of the backup before it were missing or damaged. */
export type FileChecks = { read_since: string | null; lost_files: number }

/** `finished_at`: when the last run without a failure ended. `failed_at` and `failure`: when and why a later run failed
 *  to back up some or all tenants. */
export type BackupRun = FileChecks & {
  finished_at: string | null
  failed_at: string | null
  failure: string | null
}

/** Records a run. `backedUp`: the tenants whose current state is in the backup. `failure`: why the run or a tenant
 *  failed; null if nothing failed. `checks`: null if the run did not get that far. */
export async function recordRun(
  catalog: Catalog,
  run: {
    directory: string
    backedUp: readonly string[]
    failure: string | null
    checks: FileChecks | null
    now: Date
  },
): Promise<void> {
  const { directory, backedUp, failure, checks } = run
  const time = run.now.toISOString()
  await catalog.transaction(async (database) => {
    for (const id of backedUp) {
      await database.run(
        `insert into tenant_backups (tenant_id, backed_up_at) select id, ? from tenants where id = ?
         on conflict (tenant_id) do update set backed_up_at = excluded.backed_up_at`,
        [time, id],
      )
    }
    const result = failure === null ? [time, null, null] : [null, time, failure]
    await database.run(
      `insert into backup_runs (directory, finished_at, failed_at, failure) values (?, ?, ?, ?)
       on conflict (directory) do update set finished_at = coalesce(excluded.finished_at, backup_runs.finished_at),
         failed_at = excluded.failed_at, failure = excluded.failure`,
      [directory, ...result],
    )
    if (checks)
      await database.run('update backup_runs set read_since = ?, lost_files = ? where directory = ?', [
        checks.read_since,
        checks.lost_files,
        directory,
      ])
  }, keepsCachedKeys)
}

export async function findRun(catalog: Catalog, directory: string): Promise<BackupRun | undefined> {
  const sql = `select ${runColumns} from backup_runs where directory = ?`
  return catalog.database.get<BackupRun>(sql, [directory])
}

/** Returns the newest run that finished, to whatever directory. */
export async function findLastRun(catalog: Catalog): Promise<BackupRun | undefined> {
  const sql = `select ${runColumns} from backup_runs where finished_at is not null order by finished_at desc limit 1`
  return catalog.database.get<BackupRun>(sql)
}

const runColumns = 'finished_at, failed_at, failure, read_since, lost_files'

type BackupTime = { id: string; created_at: string; backed_up_at: string | null }

/** Lists every tenant with the time of its last backup; null if it has none. */
export async function listBackupTimes(catalog: Catalog): Promise<BackupTime[]> {
  return catalog.database.all<BackupTime>(
    `select t.id, t.created_at, b.backed_up_at from tenants t left join tenant_backups b on b.tenant_id = t.id
     where t.state not in ${transitionalStates}`,
  )
}

/** Returns the time of the tenant's last backup; null if it has none. */
export async function findBackupTime({ database }: Catalog, tenantId: string): Promise<string | null> {
  const sql = 'select backed_up_at from tenant_backups where tenant_id = ?'
  return (await database.get<{ backed_up_at: string }>(sql, [tenantId]))?.backed_up_at ?? null
}

/** `late`: tenants whose last backup is older than a time. `never`: tenants without a backup. `since`: the oldest time
 *  of a last backup. For a tenant without a backup, the tenant's creation time is used instead. */
type BackupCounts = { tenants: number; late: number; never: number; since: string | null }

export async function countBackups(catalog: Catalog, lateBefore: Date): Promise<BackupCounts> {
  const time = 'coalesce(b.backed_up_at, t.created_at)'
  const sql = `select count(*) as tenants, count(case when ${time} < ? then 1 end) as late,
      count(case when b.backed_up_at is null then 1 end) as never, min(${time}) as since
    from tenants t left join tenant_backups b on b.tenant_id = t.id where t.state not in ${transitionalStates}`
  return (await catalog.database.get<BackupCounts>(sql, [lateBefore.toISOString()]))!
}
