// A thread that creates one backup and exits. Copying and checking databases takes seconds, which must not block the
// main thread.

import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Config } from '../config.ts'
import { resources } from '../domain/declarations/all.ts'
import { createPassphrase } from '../lib/files/passphrase-encryption.ts'
import { type BackupResult, backUp } from '../tenants/backup/back-up.ts'
import { openDatabases } from '../tenants/databases/open-databases.ts'

/** The message that the thread sends before it exits. */
export type BackupReport = { result: BackupResult; warnings: string[] } | { failure: string }

/** The thread pauses after each tenant for as long as the tenant took, up to this maximum, to leave capacity for
 *  requests. */
const maxPauseMs = 1000

const { config } = workerData as { config: Config }

const warnings: string[] = []

async function run(): Promise<BackupResult> {
  const opened = await openDatabases(config, resources, {}, 'command')
  try {
    const { catalog, databases } = opened
    const passphrase = config.BACKUP_PASSPHRASE === '' ? undefined : createPassphrase(config.BACKUP_PASSPHRASE)
    const pause = async (tookMs: number) => void (await wait(Math.min(tookMs, maxPauseMs)))
    return await backUp(
      { catalog, databases, resources, now: () => new Date(), pause },
      {
        directory: config.BACKUP_DIR,
        slugs: null,
        sinceLast: true,
        keep: config.BACKUP_KEEP,
        access: { passphrase, acceptUnencrypted: false, warn: (sentence) => warnings.push(sentence) },
        scratchDirectory: join(resolve(config.DATA_DIR), 'scratch'),
      },
    )
  } finally {
    await opened.close()
  }
}

const report: BackupReport = await run().then(
  (result) => ({ result, warnings }),
  (error: Error) => ({ failure: error.message }),
)
parentPort!.postMessage(report)
