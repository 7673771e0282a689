// Handles to worker threads, and the mapping from tenant to thread.

import { getCompileCacheDir } from 'node:module'
import { dirname, parse } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Busy, Damaged, TooSlow, Unavailable } from '../../../database/database.ts'
import { invalidRequest } from '../../../problem.ts'
import { MigrationFailed } from '../../migration-queue.ts'
import { type Claims, claim, openClaims, release } from './claims.ts'
import type { Reply, Task, ThreadMessage, ThreadRequest, WorkerSettings } from './messages.ts'

/** An operation whose caller is waiting for the result. `queuedAt`: from performance.now(). */
export type PendingTask = {
  task: Task
  queuedAt: number
  /** Called with the reply. */
  observe?: ((reply: Reply) => void) | undefined
  resolve: (output: unknown) => void
  reject: (error: Error) => void
}

/** A thread and its pending tasks. `freeClaims`: unused indexes of `claims`. */
export type WorkerThread = {
  worker: Worker
  outbox: Task[]
  pending: Map<number, PendingTask>
  claims: Claims
  freeClaims: number[]
  isReady: boolean
  hasEnded: boolean
}

/** `onMessage` receives every message. `onExit` is called once, after all pending tasks have been rejected. */
export type ThreadListeners = {
  onMessage(thread: WorkerThread, message: ThreadMessage): void
  onCrash(error: Error): void
  onExit(): void
}

/** Starts a thread of a pool. */
export type ThreadStarter = (listeners: Omit<ThreadListeners, 'onCrash'>) => WorkerThread

/** At least four, even on fewer cores: writers spend much of their time waiting for the disk. */
export function writersFor(cores: number): number {
  return Math.max(4, cores)
}

/** At least three: one is kept free of long lists, so two tenants can run them. */
export function readersFor(cores: number): number {
  return Math.max(3, cores)
}

/** Maps a tenant to the same thread for the lifetime of the process, so each file has one writer. */
export function threadIndexFor(id: string, count: number): number {
  let hash = 0
  for (let at = 0; at < id.length; at++) hash = (hash * 31 + id.charCodeAt(at)) >>> 0
  return hash % count
}

/** Size of V8's young generation per thread. The default keeps several times as much for each thread: with 10,000
 *  tenants a sixth of the process's memory, and it is no faster. */
const youngGenerationMb = 4

/** Starts a script as a thread with the script's name, which system tools show. Its environment holds only Node's
 *  compile cache; settings go in workerData. */
export function startThread(script: URL, settings: WorkerSettings, listeners: ThreadListeners): WorkerThread {
  const claims = openClaims()
  const cache = getCompileCacheDir() // a subdirectory, for this version of Node, of the configured one
  const worker = new Worker(script, {
    name: parse(script.pathname).name,
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    workerData: { ...settings, claims },
    env: cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) },
  })
  const freeClaims = [...claims.keys()]
  const thread: WorkerThread = {
    worker,
    ...{ outbox: [], pending: new Map(), claims, freeClaims, isReady: false, hasEnded: false },
  }
  worker.on('message', (message: ThreadMessage) => {
    thread.isReady = true
    listeners.onMessage(thread, message)
  })
  worker.on('error', (error) => listeners.onCrash(error as Error))
  worker.on('exit', () => {
    thread.hasEnded = true
    for (const { reject } of thread.pending.values()) reject(new Unavailable('the worker ended'))
    listeners.onExit()
  })
  return thread
}

/** A batch of this size is sent immediately, so that the thread starts while the main thread still reads requests
 *  (docs/decisions/0015). */
const maxBatchSize = 16

/** Queues a task. Tasks of one tick of the event loop are sent as one message at its end. */
export function enqueue(thread: WorkerThread, pendingTask: PendingTask): void {
  if (thread.hasEnded) {
    pendingTask.reject(new Unavailable('the worker ended'))
    return
  }
  const claimIndex = thread.freeClaims.pop()
  if (claimIndex === undefined) {
    pendingTask.reject(new Busy('too many operations wait for this thread'))
    return
  }
  pendingTask.task.claimIndex = claimIndex
  thread.pending.set(pendingTask.task.taskId, pendingTask)
  const count = thread.outbox.push(pendingTask.task)
  if (count === maxBatchSize) send(thread)
  else if (count === 1) setImmediate(send, thread)
}

export function send(thread: WorkerThread): void {
  if (thread.outbox.length === 0) return
  const tasks = thread.outbox
  thread.outbox = []
  thread.worker.postMessage({ tasks, unanswered: thread.pending.size } satisfies ThreadRequest)
}

/** Removes and returns the pending task that this reply belongs to. */
export function takePending(thread: WorkerThread, reply: Reply): PendingTask {
  const pendingTask = thread.pending.get(reply.taskId)!
  thread.pending.delete(reply.taskId)
  release(thread.claims, pendingTask.task.claimIndex!)
  thread.freeClaims.push(pendingTask.task.claimIndex!)
  return pendingTask
}

/** Rejects tasks that were queued before this time and have not started. They stay pending until the thread has
 *  dropped them. */
export function rejectLate(thread: WorkerThread, queuedBefore: number): void {
  for (const pendingTask of thread.pending.values()) {
    if (pendingTask.queuedAt < queuedBefore && claim(thread.claims, pendingTask.task.claimIndex!))
      rejectAsBusy(pendingTask)
  }
}

export function rejectAsBusy({ reject }: PendingTask): void {
  reject(new Busy('it has waited in the queue for too long'))
}

export function resolveTask(pendingTask: PendingTask, reply: Reply): void {
  pendingTask.observe?.(reply)
  if ('output' in reply) pendingTask.resolve(reply.output)
  else if ('tooSlow' in reply) pendingTask.reject(new TooSlow(reply.tooSlow))
  else if ('invalid' in reply) pendingTask.reject(invalidRequest(reply.invalid))
  else if ('unavailable' in reply) pendingTask.reject(new (reply.isDamaged ? Damaged : Unavailable)(reply.unavailable))
  else if ('migrationFailed' in reply) pendingTask.reject(new MigrationFailed(reply.migrationFailed))
  // The stack is the thread's, where the error occurred.
  else if ('bug' in reply) pendingTask.reject(Object.assign(new Error('an operation failed'), { stack: reply.bug }))
}

/** Stops a thread after its pending tasks. */
export async function stopThread(thread: WorkerThread): Promise<void> {
  if (thread.hasEnded) return
  const exited = new Promise((resolve) => thread.worker.once('exit', resolve))
  send(thread)
  thread.worker.postMessage('close')
  await exited
}
