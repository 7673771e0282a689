// The main thread's view of a worker thread: its pending tasks, messages and restarts.

import { getCompileCacheDir } from 'node:module'
import { dirname, parse } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Busy, Unavailable } from '../../database/database.ts'
import type { EndMeasurement } from '../../measurements.ts'
import type { AnyOperation } from '../../operation.ts'
import {
  claim,
  decodeFailure,
  encodeRequest,
  openClaims,
  type Reply,
  release,
  type Task,
  type ThreadMessage,
  type WorkerSettings,
} from './messages.ts'

/** A task whose caller is waiting for the result. `operation`: undefined for work on a whole file. `queuedAt`: from
 *  performance.now(). */
export type PendingTask = {
  task: Task
  operation?: AnyOperation
  queuedAt: number
  endMeasurement?: EndMeasurement | undefined
  resolve: (output: unknown) => void
  reject: (error: Error) => void
}

/** `onMessage` receives every message. `onExit` is called when the thread has exited, after its pending tasks have been
 *  rejected. */
export type ThreadListeners = { onMessage(message: ThreadMessage): void; onExit(): void }

/** Starts a thread in a pool. */
export type ThreadStarter = (listeners: ThreadListeners) => Thread

/** Returns the number of writer threads: at least four, even on fewer cores, because writers spend much of their time
 *  waiting for the disk. */
export function writersFor(cores: number): number {
  return Math.max(4, cores)
}

/** Returns the number of reader threads: at least three, because one is kept free of heavy scans and two remain for
 *  such scans. */
export function readersFor(cores: number): number {
  return Math.max(3, cores)
}

/** The maximum size of V8's young generation. With its default, which is several times larger, all threads together
 *  would take a sixth of the process's memory with 10,000 tenants. A reader needs more than a writer: a turn's pages
 *  are 1 MB of text, and while they wait to be sent, each collection of a small generation would copy them. */
export const youngGenerationMb = { writer: 4, reader: 16 }

/** More than any operation needs. Without a limit, V8 lets the garbage of a thread grow to three times what the thread
 *  uses: 40 MB more during an import. */
const oldGenerationMb = 1024

export type ThreadOptions = {
  script: URL
  settings: WorkerSettings
  youngGenerationMb: number
  onCrash(error: Error): void
}

/** A thread with its pending tasks. It is restarted after a crash. */
export class Thread {
  readonly #options: ThreadOptions & ThreadListeners
  readonly #claims = openClaims()
  /** By slot. Not a Map: a Map whose entries keep changing leaves old tables behind, and these keep finished tasks,
   *  with their requests, in memory until the next full garbage collection. */
  readonly #pending: (PendingTask | undefined)[] = Array.from(this.#claims, () => undefined)
  readonly #freeSlots = [...this.#claims.keys()]
  #restartDelayMs = restartDelaysMs.first
  #worker: Worker | undefined // undefined while it waits for its restart
  #readyAt = Number.POSITIVE_INFINITY
  #isStopping = false

  constructor(options: ThreadOptions & ThreadListeners) {
    this.#options = options
    this.#start()
  }

  get isRunning(): boolean {
    return this.#worker !== undefined
  }

  /** Whether the thread has finished starting and can run tasks. */
  get isReady(): boolean {
    return this.#readyAt !== Number.POSITIVE_INFINITY
  }

  /** When the thread finished starting: a value of performance.now(), or infinity until then. */
  get readyAt(): number {
    return this.#readyAt
  }

  /** Sends tasks as a single message. Rejects the tasks while the thread is not running, or if too many tasks are
   *  pending. */
  send(pendingTasks: PendingTask[]): void {
    const tasks = pendingTasks.filter((pendingTask) => this.#accept(pendingTask)).map(({ task }) => task)
    if (tasks.length === 0) return
    const unanswered = this.#pending.length - this.#freeSlots.length
    this.#worker!.postMessage(encodeRequest({ tasks, unanswered }))
  }

  /** Removes and returns the pending task that this reply belongs to. */
  take({ slot }: Pick<Reply, 'slot'>): PendingTask {
    const pendingTask = this.#pending[slot]!
    this.#pending[slot] = undefined
    release(this.#claims, slot)
    this.#freeSlots.push(slot)
    return pendingTask
  }

  /** Removes and returns all pending tasks, in the order in which they arrived. */
  takeAll(): PendingTask[] {
    const tasks = this.#listPending().map(({ task }) => task)
    return tasks.sort((a, b) => a.taskId - b.taskId).map((task) => this.take(task))
  }

  /** Rejects tasks that were queued before this time and have not started. The tasks stay pending until the thread has
   *  replied that it skipped them. */
  rejectLate(queuedBefore: number): void {
    const before = lateBefore(queuedBefore, this.#readyAt)
    for (const pendingTask of this.#listPending()) {
      if (pendingTask.queuedAt < before && claim(this.#claims, pendingTask.task.slot)) rejectAsBusy(pendingTask)
    }
  }

  /** Stops the thread once its pending tasks are done. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const worker = this.#worker
    if (!worker) return
    const exited = new Promise((resolve) => worker.once('exit', resolve))
    worker.postMessage(encodeRequest('close'))
    await exited
  }

  /** Stops the thread immediately, which rolls back its open transaction. */
  async terminate(): Promise<void> {
    this.#isStopping = true
    await this.#worker?.terminate()
  }

  #accept(pendingTask: PendingTask): boolean {
    const slot = this.#worker && this.#freeSlots.pop()
    if (slot === undefined) {
      const reason = this.#worker ? new Busy('too many operations wait for this thread') : threadEnded()
      pendingTask.reject(reason)
      return false
    }
    pendingTask.task.slot = slot
    this.#pending[slot] = pendingTask
    return true
  }

  #listPending(): PendingTask[] {
    if (this.#freeSlots.length === this.#pending.length) return []
    return this.#pending.filter((pendingTask) => pendingTask !== undefined)
  }

  /** The thread has the script's name, which system tools show. Its environment contains only Node's compile cache;
   *  `workerData` passes the settings. */
  #start(): void {
    const { script, settings, youngGenerationMb, onMessage, onCrash } = this.#options
    const cache = getCompileCacheDir() // the configured directory's subdirectory for this Node.js version
    this.#worker = new Worker(script, {
      name: parse(script.pathname).name,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb, maxOldGenerationSizeMb: oldGenerationMb },
      workerData: { ...settings, claims: this.#claims },
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) },
    })
      .on('message', (message: ThreadMessage) => {
        if (!this.isReady) this.#readyAt = performance.now()
        this.#restartDelayMs = restartDelaysMs.first
        onMessage(message)
      })
      .on('error', (error) => onCrash(error as Error))
      .on('exit', () => this.#replace())
  }

  #replace(): void {
    this.#worker = undefined
    this.#readyAt = Number.POSITIVE_INFINITY
    for (const { reject } of this.takeAll()) reject(threadEnded())
    this.#options.onExit()
    if (!this.#isStopping) setTimeout(() => this.#isStopping || this.#start(), this.#restartDelayMs).unref()
    this.#restartDelayMs = Math.min(2 * this.#restartDelayMs, restartDelaysMs.longest)
  }
}

/** The first restart is nearly immediate, because most crashes do not recur. Each further one waits twice as long: in the
 *  end, a thread that keeps crashing costs little, and recovers within seconds once the cause has been fixed. */
const restartDelaysMs = { first: 10, longest: 5000 }

/** On an overloaded machine, a thread may take longer to start than an operation may wait. */
const startTimeoutMs = 30_000

/** Returns the time before which a waiting task must have been queued to be rejected as late. Its wait counts from when
 *  a thread that can run it became ready, but a thread that does not become ready is not waited for without end. */
export function lateBefore(queuedBefore: number, readyAt: number): number {
  return readyAt < queuedBefore ? queuedBefore : queuedBefore - startTimeoutMs
}

function threadEnded(): Unavailable {
  return new Unavailable('the worker thread exited')
}

export function rejectAsBusy({ reject }: PendingTask): void {
  reject(new Busy('the operation has waited in the queue for too long'))
}

export function resolveTask(pendingTask: PendingTask, reply: Reply): void {
  const { milliseconds = performance.now() - pendingTask.queuedAt } = reply
  pendingTask.endMeasurement?.(milliseconds)
  if ('output' in reply) pendingTask.resolve(reply.output)
  else if ('failure' in reply) pendingTask.reject(decodeFailure(reply.failure))
}
