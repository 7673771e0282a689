// The threads that migrate files: started on demand, and ended after some idle time.

import type { Worker } from 'node:worker_threads'
import { Unavailable } from '../../../database/database.ts'
import { MigrationFailed } from '../../migration-queue.ts'
import { startWorker } from '../threads/thread.ts'
import type { WorkerSettings } from '../writer/worker.ts'
import type { Migrated } from './migrator.ts'

export type Migrators = {
  /** Throws MigrationFailed, Unavailable. */
  migrate(tenant: string): Promise<void>
  close(): Promise<void>
}

/** An idle thread ends after this time. Starting one costs as much as migrating ten small files. */
const idleTimeoutMs = 5000

export function openMigrators(workerData: WorkerSettings): Migrators {
  const idle: Worker[] = []
  const all = new Set<Worker>()
  let timer: NodeJS.Timeout | undefined

  function start(): Worker {
    const worker = startWorker(new URL('./migrator.ts', import.meta.url), workerData)
    all.add(worker)
    worker.on('error', () => {}) // the exit handler rejects the pending task
    worker.once('exit', () => {
      all.delete(worker)
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1)
    })
    return worker
  }

  function runOn(worker: Worker, tenant: string): Promise<Migrated> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Unavailable('the thread that migrated it ended'))
      worker.once('exit', onExit)
      worker.once('message', (message: Migrated) => {
        worker.off('exit', onExit)
        resolve(message)
      })
      worker.postMessage(tenant)
    })
  }

  async function migrate(tenant: string): Promise<void> {
    clearTimeout(timer)
    const worker = idle.pop() ?? start()
    const migrated = await runOn(worker, tenant)
    idle.push(worker)
    clearTimeout(timer)
    timer = setTimeout(endIdle, idleTimeoutMs).unref()
    if (migrated.failure === null) return
    throw migrated.isOutage ? new Unavailable(migrated.failure) : new MigrationFailed(migrated.failure)
  }

  function endIdle(): void {
    for (const worker of idle.splice(0)) void worker.terminate()
  }

  /** Terminates running migrations, which rolls them back. The next process to open such a file migrates it. */
  async function close(): Promise<void> {
    clearTimeout(timer)
    await Promise.all([...all].map((worker) => worker.terminate()))
  }

  return { migrate, close }
}
