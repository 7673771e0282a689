// The main thread's side of the embedded engine: workers, and one message per worker and turn of the event loop.

import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { TooSlow, Unavailable } from '../../database.ts'
import type { Resources } from '../../resources/resource.ts'
import type { Input, OperationName, Output } from '../operations.ts'
import type { Place, Storage } from '../storage.ts'
import type { Reply, Task } from './group-commit.ts'
import type { WorkerSettings } from './worker.ts'

/** A worker that keeps dying is started again after a pause that doubles up to this. Milliseconds. */
const longestPause = 5000
const shortestPause = 5

type Waiting = { resolve: (output: unknown) => void; reject: (error: Error) => void }
type Lane = { worker: Worker; outbox: Task[]; waiting: Map<number, Waiting>; hasEnded: boolean }

export type PoolSettings = {
  directory: string
  resources: Resources
  /** Default: more than there are cores, since a worker spends much of its time waiting for the disk. */
  workers?: number
  /** Told when a worker died of a bug; its tenants are served again by its successor. */
  onCrash?: (error: Error) => void
}

/** Starts the embedded engine on the tenant files of a data directory. */
export function sqliteStorage(settings: PoolSettings): Storage & { close(): Promise<void> } {
  const count = settings.workers ?? Math.max(4, availableParallelism())
  const { directory, resources } = settings
  const workerData = { directory, resources, openFiles: openFilesPerWorker(count) } satisfies WorkerSettings
  const lanes = Array.from({ length: count }, () => startLane())
  let lastTicket = 0
  let isClosing = false
  let pause = shortestPause

  function startLane(): Lane {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData })
    const lane: Lane = { worker, outbox: [], waiting: new Map(), hasEnded: false }
    worker.on('message', (replies: Reply[]) => {
      pause = shortestPause
      for (const reply of replies) settle(lane, reply)
    })
    worker.on('error', (error) => settings.onCrash?.(error as Error))
    worker.on('exit', () => {
      lane.hasEnded = true
      for (const { reject } of lane.waiting.values()) reject(new Unavailable('the worker ended'))
      pause = Math.min(pause * 2, longestPause)
      setTimeout(succeed, pause, lanes.indexOf(lane)).unref()
    })
    return lane
  }

  function succeed(at: number): void {
    if (!isClosing) lanes[at] = startLane()
  }

  function run<Name extends OperationName>(tenant: Place, name: Name, input: Input<Name>): Promise<Output<Name>> {
    const lane = lanes[laneOf(tenant.id, count)]!
    if (isClosing || lane.hasEnded) return Promise.reject(new Unavailable('the worker ended'))
    const ticket = ++lastTicket
    if (lane.outbox.push({ ticket, tenant: tenant.id, name, input }) === 1) setImmediate(send, lane)
    return new Promise((resolve, reject) => {
      lane.waiting.set(ticket, { resolve: resolve as (output: unknown) => void, reject })
    })
  }

  /** Ends after the work in hand. */
  async function close(): Promise<void> {
    isClosing = true
    await Promise.all(
      lanes.map(async (lane) => {
        if (lane.hasEnded) return
        const ended = new Promise((resolve) => lane.worker.once('exit', resolve))
        send(lane)
        lane.worker.postMessage('close')
        await ended
      }),
    )
  }

  return { run, close }
}

/** Everything asked for in this turn of the event loop goes as one message. */
function send(lane: Lane): void {
  if (lane.outbox.length === 0) return
  const tasks = lane.outbox
  lane.outbox = []
  lane.worker.postMessage(tasks)
}

function settle(lane: Lane, reply: Reply): void {
  const waiting = lane.waiting.get(reply.ticket)!
  lane.waiting.delete(reply.ticket)
  if ('output' in reply) waiting.resolve(reply.output)
  else if ('tooSlow' in reply) waiting.reject(new TooSlow(reply.tooSlow))
  else if ('unavailable' in reply) waiting.reject(new Unavailable(reply.unavailable))
  else waiting.reject(Object.assign(new Error('an operation failed'), { stack: reply.bug })) // where it failed, not here
}

/** A tenant has the same worker for the life of the pool: one writer per file. */
function laneOf(id: string, count: number): number {
  let hash = 0
  for (let at = 0; at < id.length; at++) hash = (hash * 31 + id.charCodeAt(at)) >>> 0
  return hash % count
}

/** An open tenant holds three descriptors (file, log, index); connections of clients need the other half. */
function openFilesPerWorker(workers: number): number {
  return Math.max(8, Math.floor(Math.min(descriptorLimit(), 8192) / 2 / 3 / workers))
}

function descriptorLimit(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1024)
  } catch {
    return 1024 // not Linux: what most systems allow at least
  }
}
