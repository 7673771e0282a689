// A thread as the main thread sees it, and which of them a tenant belongs to.

import { getCompileCacheDir } from 'node:module'
import { basename, dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Busy, TooSlow, Unavailable } from '../../../database/database.ts'
import type { Reply, Task } from '../writer/group-commit.ts'
import type { ThreadMessage, ThreadRequest, WorkerSettings } from '../writer/worker.ts'
import { type Claims, claim, openClaims, release } from './claims.ts'

/** An operation whose caller waits, since `queuedAt`. */
export type PendingTask = {
  task: Task
  queuedAt: number
  resolve: (output: unknown) => void
  reject: (error: Error) => void
}

/** A thread and what it was asked. `freePlaces`: in `claims`. */
export type WorkerThread = {
  worker: Worker
  outbox: Task[]
  waiting: Map<number, PendingTask>
  claims: Claims
  freePlaces: number[]
  isReady: boolean
  hasEnded: boolean
}

/** `hear` gets every message; `ended` is called once, after those who wait have been told. */
export type ThreadListeners = {
  onMessage(thread: WorkerThread, message: ThreadMessage): void
  crashed(error: Error): void
  ended(): void
}

/** More writers than there are cores, since they spend much of their time waiting for the disk. */
export function writersFor(cores: number): number {
  return Math.max(4, cores)
}

/** One of them is never at a long list, and two tenants may be. */
export function readersFor(cores: number): number {
  return Math.max(3, cores)
}

/** A tenant has the same thread for the life of the pool: one writer per file. */
export function threadIndexFor(id: string, count: number): number {
  let hash = 0
  for (let at = 0; at < id.length; at++) hash = (hash * 31 + id.charCodeAt(at)) >>> 0
  return hash % count
}

/** How much a thread makes before V8 looks through it for what is still needed: left to itself it keeps several times as much for each
 *  of the threads, which with 10,000 tenants is a sixth of the process, and is no faster. MiB. */
const youngGeneration = 4

/** Starts a file as a thread; the system's tools show its name. Of the environment it is given where Node keeps
 *  what it has compiled, and nothing else: its settings are in workerData. */
export function startWorker(script: URL, workerData: WorkerSettings & { claims?: Claims }): Worker {
  const cache = getCompileCacheDir() // of this version of Node, in the directory that was asked for
  const env = cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }
  const settings = {
    name: basename(script.pathname, '.ts'),
    resourceLimits: { maxYoungGenerationSizeMb: youngGeneration },
  }
  return new Worker(script, { ...settings, workerData, env })
}

export function startThread(script: URL, workerData: WorkerSettings, listeners: ThreadListeners): WorkerThread {
  const claims = openClaims()
  const worker = startWorker(script, { ...workerData, claims })
  const freePlaces = [...claims.keys()]
  const thread: WorkerThread = {
    worker,
    ...{ outbox: [], waiting: new Map(), claims, freePlaces, isReady: false, hasEnded: false },
  }
  worker.on('message', (message: ThreadMessage) => {
    thread.isReady = true
    listeners.onMessage(thread, message)
  })
  worker.on('error', (error) => listeners.crashed(error as Error))
  worker.on('exit', () => {
    thread.hasEnded = true
    for (const { reject } of thread.waiting.values()) reject(new Unavailable('the worker ended'))
    listeners.ended()
  })
  return thread
}

/** So many tasks go at once: the thread is at work on them while others come in. */
const sentAtOnce = 16

/** What else was asked for in a turn of the event loop goes as one message at its end. */
export function ask(thread: WorkerThread, waiting: PendingTask): void {
  if (thread.hasEnded) {
    waiting.reject(new Unavailable('the worker ended'))
    return
  }
  const place = thread.freePlaces.pop()
  if (place === undefined) {
    waiting.reject(new Busy('too many operations wait for this thread'))
    return
  }
  waiting.task.place = place
  thread.waiting.set(waiting.task.ticket, waiting)
  const count = thread.outbox.push(waiting.task)
  if (count === sentAtOnce) send(thread)
  else if (count === 1) setImmediate(send, thread)
}

export function send(thread: WorkerThread): void {
  if (thread.outbox.length === 0) return
  const tasks = thread.outbox
  thread.outbox = []
  thread.worker.postMessage({ tasks, unanswered: thread.waiting.size } satisfies ThreadRequest)
}

/** Who waits for this reply; nobody does any longer. */
export function takePending(thread: WorkerThread, reply: Reply): PendingTask {
  const waiting = thread.waiting.get(reply.ticket)!
  thread.waiting.delete(reply.ticket)
  release(thread.claims, waiting.task.place!)
  thread.freePlaces.push(waiting.task.place!)
  return waiting
}

/** Refuses what was queued before this time and is not begun. It stays asked until the thread has dropped it. */
export function refuseLate(thread: WorkerThread, queuedBefore: number): void {
  for (const waiting of thread.waiting.values()) {
    if (waiting.queuedAt < queuedBefore && claim(thread.claims, waiting.task.place!)) refuse(waiting)
  }
}

export function refuse({ reject }: PendingTask): void {
  reject(new Busy('it has waited in the queue for too long'))
}

export function resolveTask(waiting: PendingTask, reply: Reply): void {
  if ('output' in reply) waiting.resolve(reply.output)
  else if ('tooSlow' in reply) waiting.reject(new TooSlow(reply.tooSlow))
  else if ('unavailable' in reply) waiting.reject(new Unavailable(reply.unavailable))
  else if ('bug' in reply) waiting.reject(Object.assign(new Error('an operation failed'), { stack: reply.bug })) // where it failed, not here
}

/** A thread that keeps dying is started again after a pause that doubles up to the longest. Milliseconds. */
const shortestPause = 5
const longestPause = 5000

export function createBackoff(): { next(): number; reset(): void } {
  let pause = shortestPause
  return {
    next() {
      pause = Math.min(pause * 2, longestPause)
      return pause
    },
    reset() {
      pause = shortestPause
    },
  }
}

/** Ends a thread after the work in hand. */
export async function end(thread: WorkerThread): Promise<void> {
  if (thread.hasEnded) return
  const ended = new Promise((resolve) => thread.worker.once('exit', resolve))
  send(thread)
  thread.worker.postMessage('close')
  await ended
}
