// Creates backups at intervals (BACKUP_EVERY), on one node at a time.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { extname, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { findRun, recordRun } from '../catalog/tables/backup-records.ts'
import { releaseLease, takeLease } from '../catalog/tables/leases.ts'
import { repeat } from '../lib/concurrency.ts'
import { errorMessageOf } from '../lib/errors.ts'
import { recordBackup } from '../tenants/backup/back-up.ts'
import { findDirectoryProblem } from '../tenants/backup/directory.ts'
import { StartError } from '../tenants/databases/open-databases.ts'
import type { BackupReport } from './backup-thread.ts'
import type { PreparedContext } from './open-engine.ts'

/** How often to check whether a backup is due. */
const pollIntervalMs = 10_000

/** How often the lease is renewed. This must be less than the 30 s after which a lease expires. */
const renewIntervalMs = 10_000

/** A failed backup is retried after this time, or after BACKUP_EVERY if BACKUP_EVERY is shorter. */
const retryAfterMs = 15 * 60_000

const leaseName = 'backup'

/** Returns warnings about the directory for scheduled backups. Throws StartError if it was never usable. A directory
 *  that was used before may be unusable only for now, so the server starts, and the problem counts as a failed backup. */
export async function checkBackupSettings(context: PreparedContext): Promise<string[]> {
  const { catalog, config } = context
  if (config.BACKUP_EVERY === null) return []
  const directory = resolve(config.BACKUP_DIR)
  const problem = await findDirectoryProblem(catalog, directory)
  if (!problem) return []
  const run = await findRun(catalog, directory)
  if (!run?.finished_at) throw new StartError(`BACKUP_DIR: ${problem.message} ${problem.remedy}`)
  const warning = `${problem.message} ${problem.remedy}`
  await recordFailure(context, warning)
  return [`No backup can be made. ${warning}`]
}

export function startBackupSchedule(context: PreparedContext): { close(): Promise<void> } {
  const { config, catalog, log, overrides } = context
  const { BACKUP_EVERY: everyMs } = config
  if (everyMs === null) return { close: async () => {} }
  const token = randomUUID()
  let thread: Worker | undefined

  async function backUpIfDue(): Promise<void> {
    if (!(await isDue(context, everyMs!))) return
    if (!(await takeLease(catalog, leaseName, token))) return
    const renewal = setInterval(() => takeLease(catalog, leaseName, token).catch(() => {}), renewIntervalMs)
    try {
      if (await isDue(context, everyMs!)) await backUp() // another node may have just finished a backup
    } finally {
      clearInterval(renewal)
      await releaseLease(catalog, leaseName, token)
    }
  }

  async function backUp(): Promise<void> {
    const script = new URL(`./backup-thread${extname(import.meta.filename)}`, import.meta.url) // .ts, or .js in the npm package
    thread = new Worker(script, { name: 'backup', workerData: { config } })
    const report = await awaitReport(thread)
    thread = undefined
    if (report && 'failure' in report) {
      log.error({ reason: report.failure }, 'a backup failed; earlier backups are unaffected')
      await recordFailure(context, report.failure)
    }
    if (report && 'result' in report) {
      const { copied, unchanged, failed, lost, removed } = report.result
      for (const reason of report.warnings) log.warn({ reason }, 'a backup was made, but its directory needs attention')
      await recordBackup(catalog, report.result, context.now())
      const counts = { copied: copied.length, unchanged: unchanged.length, failed: failed.length, removed }
      for (const { slug, file, reason } of lost)
        log.error({ tenant: slug ?? undefined, file, reason }, 'a file of the last backup was lost')
      for (const { slug: tenant, reason } of failed) log.error({ tenant, reason }, 'a tenant could not be backed up')
      log.info(counts, 'a backup was created and verified')
    }
  }

  const schedule = repeat(overrides.backupPollIntervalMs ?? pollIntervalMs, backUpIfDue, (error) =>
    log.warn({ reason: error.message }, 'the time of the next backup cannot be determined'),
  )
  return {
    async close() {
      schedule.stop()
      await thread?.terminate() // the next backup removes the incomplete one
    },
  }
}

async function isDue({ catalog, config, now }: PreparedContext, everyMs: number): Promise<boolean> {
  const last = await findRun(catalog, resolve(config.BACKUP_DIR))
  const hasPassed = (time: string | null | undefined, milliseconds: number) =>
    !time || now().getTime() - Date.parse(time) >= milliseconds
  if (last?.failed_at) return hasPassed(last.failed_at, Math.min(everyMs, retryAfterMs))
  return hasPassed(last?.finished_at, everyMs)
}

/** Returns undefined if the thread was terminated because the server is shutting down. */
async function awaitReport(thread: Worker): Promise<BackupReport | undefined> {
  const exited = once(thread, 'exit').then(() => undefined)
  const reported = once(thread, 'message').then(([report]) => report as BackupReport)
  reported.catch(() => {})
  try {
    return await Promise.race([reported, exited])
  } catch (error) {
    return { failure: errorMessageOf(error) }
  }
}

async function recordFailure({ catalog, config, now }: PreparedContext, failure: string): Promise<void> {
  await recordRun(catalog, {
    directory: resolve(config.BACKUP_DIR),
    backedUp: [],
    failure,
    checks: null,
    now: now(),
  })
}
