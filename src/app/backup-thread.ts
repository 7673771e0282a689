// A thread that makes one backup and ends. Copying and checking databases takes seconds, in which the main thread must go on.

import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Config } from '../config.ts'
import { createPassphrase } from '../lib/passphrase-encryption.ts'
import { resources } from '../resources/declarations/all.ts'
import { type BackupResult, backUp } from '../tenants/backup/back-up.ts'
import { openDatabases } from '../tenants/open-databases.ts'

/** What the thread reports at its end. */
export type BackupReport = { result: BackupResult } | { failure: string }

/** After each tenant comes a pause of the same length, up to this, so that at least half of the machine is left for requests. */
const maxPauseMs = 1000

const { config } = workerData as { config: Config }

async function run(): Promise<BackupResult> {
  const opened = await openDatabases(config, resources, {}, 'existing')
  try {
    const { catalog, databases } = opened
    const pause = async (tookMs: number) => void (await wait(Math.min(tookMs, maxPauseMs)))
    return await backUp(
      { catalog, databases, resources, now: () => new Date(), pause },
      {
        ...{ directory: config.BACKUP_DIR, slugs: null, sinceLast: true, keep: config.BACKUP_KEEP },
        passphrase: config.BACKUP_PASSPHRASE === '' ? undefined : createPassphrase(config.BACKUP_PASSPHRASE),
        scratchDirectory: join(resolve(config.DATA_DIR), 'scratch'),
      },
    )
  } finally {
    await opened.close()
  }
}

const report: BackupReport = await run().then(
  (result) => ({ result }),
  (error: Error) => ({ failure: error.message }),
)
parentPort!.postMessage(report)
