// A thread as the main thread sees it, and which of them a tenant belongs to.

import { getCompileCacheDir } from 'node:module'
import { basename, dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Busy, TooSlow, Unavailable } from '../../database/database.ts'
import { type Claims, claim, openClaims, release } from './claims.ts'
import type { Reply, Task } from './group-commit.ts'
import type { Asked, Message, WorkerSettings } from './worker.ts'

/** An operation whose caller waits, since `queuedAt`. */
export type Waiting = {
  task: Task
  queuedAt: number
  resolve: (output: unknown) => void
  reject: (error: Error) => void
}

/** A thread and what it was asked. `freePlaces`: in `claims`. */
export type Lane = {
  worker: Worker
  outbox: Task[]
  waiting: Map<number, Waiting>
  claims: Claims
  freePlaces: number[]
  isReady: boolean
  hasEnded: boolean
}

/** `hear` gets every message; `ended` is called once, after those who wait have been told. */
export type Ears = { hear(lane: Lane, message: Message): void; crashed(error: Error): void; ended(): void }

/** More writers than there are cores, since they spend much of their time waiting for the disk. */
export function writersFor(cores: number): number {
  return Math.max(4, cores)
}

/** One of them is never at a long list, and two tenants may be. */
export function readersFor(cores: number): number {
  return Math.max(3, cores)
}

/** A tenant has the same lane for the life of the pool: one writer per file. */
export function laneOf(id: string, count: number): number {
  let hash = 0
  for (let at = 0; at < id.length; at++) hash = (hash * 31 + id.charCodeAt(at)) >>> 0
  return hash % count
}

/** How much a thread makes before V8 looks through it for what is still needed: left to itself it keeps several times as much for each
 *  of the threads, which with 10,000 tenants is a sixth of the process, and is no faster. MiB. */
const youngGeneration = 4

/** Starts a file of this directory as a thread; the system's tools show its name. Of the environment it is given where Node keeps
 *  what it has compiled, and nothing else: its settings are in workerData. */
export function startThread(script: string, workerData: WorkerSettings & { claims?: Claims }): Worker {
  const cache = getCompileCacheDir() // of this version of Node, in the directory that was asked for
  const env = cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }
  const settings = { name: basename(script, '.ts'), resourceLimits: { maxYoungGenerationSizeMb: youngGeneration } }
  return new Worker(new URL(script, import.meta.url), { ...settings, workerData, env })
}

export function startLane(script: string, workerData: WorkerSettings, ears: Ears): Lane {
  const claims = openClaims()
  const worker = startThread(script, { ...workerData, claims })
  const freePlaces = [...claims.keys()]
  const lane: Lane = {
    worker,
    ...{ outbox: [], waiting: new Map(), claims, freePlaces, isReady: false, hasEnded: false },
  }
  worker.on('message', (message: Message) => {
    lane.isReady = true
    ears.hear(lane, message)
  })
  worker.on('error', (error) => ears.crashed(error as Error))
  worker.on('exit', () => {
    lane.hasEnded = true
    for (const { reject } of lane.waiting.values()) reject(new Unavailable('the worker ended'))
    ears.ended()
  })
  return lane
}

/** So many tasks go at once: the thread is at work on them while others come in. */
const sentAtOnce = 16

/** What else was asked for in a turn of the event loop goes as one message at its end. */
export function ask(lane: Lane, waiting: Waiting): void {
  if (lane.hasEnded) {
    waiting.reject(new Unavailable('the worker ended'))
    return
  }
  const place = lane.freePlaces.pop()
  if (place === undefined) {
    waiting.reject(new Busy('too many operations wait for this thread'))
    return
  }
  waiting.task.place = place
  lane.waiting.set(waiting.task.ticket, waiting)
  const count = lane.outbox.push(waiting.task)
  if (count === sentAtOnce) send(lane)
  else if (count === 1) setImmediate(send, lane)
}

export function send(lane: Lane): void {
  if (lane.outbox.length === 0) return
  const tasks = lane.outbox
  lane.outbox = []
  lane.worker.postMessage({ tasks, unanswered: lane.waiting.size } satisfies Asked)
}

/** Who waits for this reply; nobody does any longer. */
export function answered(lane: Lane, reply: Reply): Waiting {
  const waiting = lane.waiting.get(reply.ticket)!
  lane.waiting.delete(reply.ticket)
  release(lane.claims, waiting.task.place!)
  lane.freePlaces.push(waiting.task.place!)
  return waiting
}

/** Refuses what was queued before this time and is not begun. It stays asked until the thread has dropped it. */
export function refuseLate(lane: Lane, queuedBefore: number): void {
  for (const waiting of lane.waiting.values()) {
    if (waiting.queuedAt < queuedBefore && claim(lane.claims, waiting.task.place!)) refuse(waiting)
  }
}

export function refuse({ reject }: Waiting): void {
  reject(new Busy('it has waited in the queue for too long'))
}

export function settle(waiting: Waiting, reply: Reply): void {
  if ('output' in reply) waiting.resolve(reply.output)
  else if ('tooSlow' in reply) waiting.reject(new TooSlow(reply.tooSlow))
  else if ('unavailable' in reply) waiting.reject(new Unavailable(reply.unavailable))
  else if ('bug' in reply) waiting.reject(Object.assign(new Error('an operation failed'), { stack: reply.bug })) // where it failed, not here
}

/** A thread that keeps dying is started again after a pause that doubles up to the longest. Milliseconds. */
const shortestPause = 5
const longestPause = 5000

export function openPause(): { next(): number; reset(): void } {
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
export async function end(lane: Lane): Promise<void> {
  if (lane.hasEnded) return
  const ended = new Promise((resolve) => lane.worker.once('exit', resolve))
  send(lane)
  lane.worker.postMessage('close')
  await ended
}
