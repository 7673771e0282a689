// Makes backups at intervals (BACKUP_EVERY), on one node at a time.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { extname, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { findRun, recordRun } from '../catalog/backup-records.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { releaseLease, takeLease } from '../catalog/leases.ts'
import type { Config } from '../config.ts'
import { repeat } from '../lib/repeat.ts'
import { recordBackup } from '../tenants/backup/record-backup.ts'
import { StartError } from '../tenants/open-databases.ts'
import type { BackupReport } from './backup-thread.ts'

export type ScheduleDependencies = {
  config: Config
  catalog: Catalog
  log: Logger
  now: () => Date
  /** How often the time of the next backup is checked. */
  pollIntervalMs?: number | undefined
}

const defaultPollIntervalMs = 10_000

/** A lease ends 30 s after it was last renewed. */
const renewIntervalMs = 10_000

/** A backup that failed is tried again after this time, or after BACKUP_EVERY if that is shorter. */
const retryAfterMs = 15 * 60_000

const leaseName = 'backup'

/** Throws StartError if the settings name no directory. */
export function startBackupSchedule(deps: ScheduleDependencies): { close(): Promise<void> } {
  const { config, catalog, log } = deps
  const { BACKUP_EVERY: everyMs, BACKUP_DIR: directory } = config
  if (everyMs === null) return { close: async () => {} }
  if (directory === '') throw new StartError('BACKUP_EVERY needs BACKUP_DIR, the directory of the backups.')
  const token = randomUUID()
  let thread: Worker | undefined

  async function backUpIfDue(): Promise<void> {
    if (!(await isDue(deps, everyMs!))) return
    if (!(await takeLease(catalog, leaseName, token))) return
    const renewing = setInterval(() => takeLease(catalog, leaseName, token).catch(() => {}), renewIntervalMs)
    try {
      if (await isDue(deps, everyMs!)) await run() // another node may have made it just now
    } finally {
      clearInterval(renewing)
      await releaseLease(catalog, leaseName, token)
    }
  }

  async function run(): Promise<void> {
    const script = new URL(`./backup-thread${extname(import.meta.filename)}`, import.meta.url) // .ts, or .js in the npm package
    thread = new Worker(script, { name: 'backup', workerData: { config } })
    const report = await reportOf(thread)
    thread = undefined
    if (report && 'failure' in report) await recordFailure(deps, report.failure)
    if (report && 'result' in report) {
      const { copied, unchanged, failed, removed } = report.result
      await recordBackup(catalog, report.result, deps.now())
      const counts = { copied: copied.length, unchanged: unchanged.length, failed: failed.length, removed }
      for (const { slug: tenant, reason } of failed) log.error({ tenant, reason }, 'a tenant could not be backed up')
      log.info(counts, 'a backup was made and verified')
    }
  }

  const polling = repeat(deps.pollIntervalMs ?? defaultPollIntervalMs, backUpIfDue, (error) =>
    log.warn({ reason: error.message }, 'the time of the next backup cannot be looked up'),
  )
  return {
    async close() {
      polling.stop()
      await thread?.terminate() // the next backup removes what it leaves
    },
  }
}

async function isDue({ catalog, config, now }: ScheduleDependencies, everyMs: number): Promise<boolean> {
  const last = await findRun(catalog, resolve(config.BACKUP_DIR))
  const hasPassed = (time: string | null | undefined, milliseconds: number) =>
    !time || now().getTime() - Date.parse(time) >= milliseconds
  return hasPassed(last?.finished_at, everyMs) && hasPassed(last?.failed_at, Math.min(everyMs, retryAfterMs))
}

/** Undefined if the thread was ended with the server. */
async function reportOf(thread: Worker): Promise<BackupReport | undefined> {
  const exited = once(thread, 'exit').then(() => undefined)
  const reported = once(thread, 'message').then(([report]) => report as BackupReport)
  reported.catch(() => {})
  try {
    return await Promise.race([reported, exited])
  } catch (error) {
    return { failure: (error as Error).message }
  }
}

async function recordFailure({ catalog, config, log, now }: ScheduleDependencies, failure: string): Promise<void> {
  log.error({ reason: failure }, 'a backup failed, and earlier ones are as they were')
  await recordRun(catalog, { directory: resolve(config.BACKUP_DIR), backedUp: [], failure, now: now() })
}
